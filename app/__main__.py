"""``python -m app`` is the ``touchstone`` command."""

from app.cli import main

main()
