"""Draw the whole page when a browser comes back to a process that does not know the page."""

from __future__ import annotations

from typing import Any

from streamlit.runtime.app_session import AppSession

_RAN = "_touchstone_ran"


def redraw_lost_fragments() -> None:
    """Let the first request of a session draw the whole page, even if the request names a fragment.

    After its process has died, a page reconnects to another process and asks only for the fragment that has changed.
    Streamlit ignores a fragment that the new session has not drawn, and the page would wait in vain.
    """
    ask: Any = AppSession.request_rerun
    if getattr(ask, _RAN, False):
        return

    def request_rerun(self: Any, client_state: Any) -> None:
        if client_state and not getattr(self, _RAN, False):
            client_state.fragment_id = ""
        setattr(self, _RAN, True)
        ask(self, client_state)

    setattr(request_rerun, _RAN, True)
    AppSession.request_rerun = request_rerun  # type: ignore[method-assign]
