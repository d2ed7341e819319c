"""What goes over the wire, frame by frame: what client libraries hide, or never do."""
