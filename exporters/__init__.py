"""Floor 2: files out. Writers turn records into bytes; nothing here touches the database."""
