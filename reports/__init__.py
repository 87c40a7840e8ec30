"""Floor 2: turn tables and figures into HTML and charts."""
