"""Floor 2: the tables and the queries. Only this room knows sqlmodel.

``db.engine`` opens a store and its transactions, ``db.tables`` declares the tables, ``db.migrations`` builds them.
The other modules hold queries: functions that take the session and keyword arguments, and never commit.
"""
