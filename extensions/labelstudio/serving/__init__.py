"""Label Studio on this server: people's work there, pictures for its pages, and a model backend that it asks."""
