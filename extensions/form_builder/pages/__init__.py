"""Pages of the form builder."""
