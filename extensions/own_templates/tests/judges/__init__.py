"""Tests of the parts on the page *Judges*."""
