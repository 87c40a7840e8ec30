"""The tables of the page Agreement."""
