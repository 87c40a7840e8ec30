"""Parts of the page *Schema*: previews of forms, and changes of a schema in use."""
