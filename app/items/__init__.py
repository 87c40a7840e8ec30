"""The parts of the page *Items* other than the table."""
