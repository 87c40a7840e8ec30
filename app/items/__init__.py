"""Parts of the page *Items*: the table, its filters, the open item, and actions on items."""
