"""Event loops for Streamlit's pages that hold no open files until they run."""

from __future__ import annotations

import asyncio
import selectors
from types import SimpleNamespace
from typing import Any

from streamlit.runtime import app_session

_NAME = "asyncio"
"""The module that Streamlit creates its loops with."""


class ScriptLoop(asyncio.SelectorEventLoop):
    """An event loop that opens files only when it runs.

    Streamlit gives each page a loop for scripts that want one, and keeps the loop for a while after the page is closed.
    A normal loop holds three files, so that open pages would need four times as many files as they use.
    """

    def __init__(self) -> None:
        super().__init__(selectors.PollSelector())

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None

    def _close_self_pipe(self) -> None:
        if self._ssock is not None:
            super()._close_self_pipe()

    def run_forever(self) -> None:
        """Run until stopped, as any loop does."""
        if self._ssock is None:
            super()._make_self_pipe()  # type: ignore[misc]
        super().run_forever()


def spare_loops() -> None:
    """Make Streamlit create its pages' loops as ``ScriptLoop``. A Streamlit without such loops stays unchanged."""
    if getattr(app_session, _NAME, None) is asyncio:
        names: dict[str, Any] = {**vars(asyncio), "new_event_loop": ScriptLoop}
        setattr(app_session, _NAME, SimpleNamespace(**names))
