"""Parts of the page *Dashboard*."""
