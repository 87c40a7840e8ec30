"""Floor 4: the screens, the HTTP routes, and the ``touchstone`` command."""
