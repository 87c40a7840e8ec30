"""The sections of the calibration report, its card and its files."""
