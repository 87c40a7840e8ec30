"""What the page *Items* is made of besides the table."""
