"""Floor 2: imports of files. Readers turn files into records, and never touch the database."""
