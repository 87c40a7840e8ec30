"""Parts of the page Models: choose a model, preview, start and watch a run, and read its answers."""
