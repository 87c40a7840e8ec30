"""Floor 2: tables and queries; the only room that knows sqlmodel."""
