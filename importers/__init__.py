"""Floor 2: files in. Readers turn files into records; nothing here touches the database."""
