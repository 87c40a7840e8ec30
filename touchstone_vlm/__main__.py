"""``python -m touchstone_vlm``: the ``touchstone`` command."""

from touchstone_vlm import main

main()
