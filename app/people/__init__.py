"""Parts of the page *People*: invitations by a link or by mail."""
