"""Floor 4: the screens, the HTTP routes beside them, and the ``touchstone`` command."""
