"""Floor 2: tables and figures in, HTML and PDF out."""
