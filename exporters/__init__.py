"""Floor 2: files out. Writers turn records into bytes, and no writer touches the database."""
