"""Charts on pages: how a page draws any chart, and the charts of single pages."""
