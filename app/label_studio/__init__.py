"""Label Studio as a second front end: its forms, its data, and a client of its server."""
