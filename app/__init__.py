"""Floor 4: the screens, the HTTP routes next to them, and the ``touchstone`` command."""
