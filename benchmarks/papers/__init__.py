"""The studies of four papers with scripted models, judges and people, and what their tables have to say.

Nothing here imports Touchstone but ``run``: what a table has to say is computed from the dice alone.
"""
