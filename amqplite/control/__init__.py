"""HTTP: the management API and the page. Everything is imported on the first request."""
