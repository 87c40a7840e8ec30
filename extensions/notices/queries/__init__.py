"""Queries on notices and on mails."""
