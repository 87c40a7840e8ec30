"""Tests of this extension."""
