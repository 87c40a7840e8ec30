"""Tests of the part on the page *Judges*."""
