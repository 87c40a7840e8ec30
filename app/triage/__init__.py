"""Parts of the page *Triage*."""
