"""Floor 2: tables and figures in, HTML and charts out."""
