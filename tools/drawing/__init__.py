"""Draws the pictures of the demo project, and short clips of actions for the tests.

    python -m tools.drawing

Writes ``examples/scenes.jsonl`` and ``examples/pictures`` again, byte for byte. What a scene shows and what is true of
it are decided together, in ``scenes``: that is how its answers are known. ``things``, ``hands`` and ``backdrops`` are
what it is made of, ``canvas`` is how they are painted, ``action_clips`` moves them.
"""
