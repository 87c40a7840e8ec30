"""Exclude what is loaded from garbage collection.

Streamlit collects after every run, and each collection takes time in proportion to all live objects. Otherwise, most of
the time of a submission is spent on modules that never change.
"""

from __future__ import annotations

import gc

import streamlit as st

COLLECT_AFTER = 20_000
"""New objects that trigger a garbage collection. A submission makes thousands that are freed without one."""


@st.cache_resource(show_spinner=False)
def freeze_collector() -> int:
    """Exclude all loaded objects from garbage collection, once per process. Return their number."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 10, 10)
    return gc.get_freeze_count()
