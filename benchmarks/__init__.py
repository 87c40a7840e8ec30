"""Measurements of Touchstone next to the tools that people would use instead."""
