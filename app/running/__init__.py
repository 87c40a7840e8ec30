"""Pieces of the page Models: picking a model, seeing what will happen, watching a run, reading its answers."""
