"""The tests mirror the rooms: ``tests/<room>/test_<module>.py``."""
