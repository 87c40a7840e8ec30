"""Measurements of Touchstone beside the tools that people would use instead."""
