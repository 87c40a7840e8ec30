"""One module per screen: ``render(services)``."""
