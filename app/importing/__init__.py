"""Parts of the page *Import*: what to import and from where, the preview, the progress and the result."""
