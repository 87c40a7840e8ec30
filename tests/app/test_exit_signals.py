"""A server that is told to end tidies up."""

from __future__ import annotations

import os
import signal

import pytest

from app.routes import drawn
from app.serving.exit_signals import exiting_on_signals


def _serve_until_told() -> None:
    with exiting_on_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            drawn.forget()


def test_drawn_pictures_go_when_a_signal_ends_the_server() -> None:
    folder = drawn.store().root
    assert folder.is_dir()
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        _serve_until_told()
    assert ended.value.code == 0
    assert not folder.exists()
    assert signal.getsignal(signal.SIGTERM) is before
    assert drawn.store().root.is_dir(), "what is asked for again is drawn anew"
    drawn.forget()
