"""Parts of pages that show a schema: the preview of its forms."""
