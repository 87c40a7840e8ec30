"""Floor 2: the tables and the queries; the only room that knows sqlmodel.

``db.engine`` opens a store and its transactions, ``db.tables`` declares the tables, ``db.migrations`` builds them,
and the other modules hold the queries: functions that take the session and keyword arguments, and never commit.
"""
