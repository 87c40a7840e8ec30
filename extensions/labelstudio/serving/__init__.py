"""The parts of Label Studio's support on this server: the exchange, pictures for its pages, and a model backend."""
