"""Parts of the page *Items*, and what it shares with *Bulk actions*."""
