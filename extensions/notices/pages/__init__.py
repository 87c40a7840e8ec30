"""The page *Notices*."""
