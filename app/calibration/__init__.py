"""The calibration report: its files, which a job builds, and how the page draws it."""
