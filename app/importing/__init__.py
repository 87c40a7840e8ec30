"""Parts of the page *Add items*: what to import and from where, the preview, the progress and the result."""
