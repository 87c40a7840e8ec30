"""The parts of the page Judges."""
