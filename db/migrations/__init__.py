"""The history of the tables, run by ``Store.upgrade``."""
