"""EgoPlan-Bench's test set."""

from benchmarks.papers.egoplan import test_study as study

__all__ = ["study"]
