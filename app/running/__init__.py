"""Pieces of the page Models: choosing a model, previewing, starting and watching a run, reading its answers."""
