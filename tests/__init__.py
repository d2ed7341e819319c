"""The tests, in the shape of the package; real clients and crashes beside them."""
