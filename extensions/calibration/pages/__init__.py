"""Pages of this extension."""
