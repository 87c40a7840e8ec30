"""Measure how often the readers misread or lose models' answers whose truth is known."""
