"""Queries on drafts of forms."""
