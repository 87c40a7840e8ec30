"""An input in dialogs: choose all options, or some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app import markup
from domain.errors import InvalidInputError, Problem


class SubsetPicker:
    """All options or some of them, as a checkbox and buttons. No list opens, closes or scrolls.

    The checkbox and the buttons exclude each other. A press on one of them draws the other as a new control. The
    browser sends its old state of every control with each press. Under the old key, a checkbox that was cleared here
    but is still ticked in the browser would be ticked again by a quick second press.
    """

    def __init__(self, label: str, options: Mapping[str, str], chosen: Sequence[str] | None, *, key: str) -> None:
        self.label, self.key = label, key
        self.options = {**options, **{str(name): str(name) for name in chosen or () if name not in options}}
        if key not in st.session_state:
            self._anew("all", chosen is None)
            self._anew("some", [str(name) for name in chosen or ()])

    def _anew(self, part: str, value: object) -> None:
        """Draw this part as a new control from now on, with this value."""
        drawn = dict(st.session_state.get(self.key, {}))
        drawn[part] = f"{self.key}.{part}.{int(drawn.get(part, '0').rpartition('.')[2]) + 1}"
        st.session_state[self.key] = drawn
        st.session_state[drawn[part]] = value

    def _drawn(self, part: str) -> str:
        key: str = st.session_state[self.key][part]
        return key

    def draw(self) -> None:
        """Draw the checkbox and the buttons."""

        def ticked() -> None:
            if st.session_state[self._drawn("all")]:
                self._anew("some", [])

        def picked() -> None:
            if st.session_state[self._drawn("all")]:
                self._anew("all", False)

        st.checkbox(f"All {self.label}", key=self._drawn("all"), on_change=ticked)
        st.pills(
            f"Only these {self.label}",
            list(self.options),
            selection_mode="multi",
            format_func=lambda name: markup.label(self.options[name]),
            key=self._drawn("some"),
            on_change=picked,
        )

    def read(self) -> tuple[str, ...] | None:
        """Return the chosen options. None: all. Raise ``InvalidInputError`` if nothing is chosen."""
        if st.session_state[self._drawn("all")]:
            return None
        chosen = set(st.session_state[self._drawn("some")] or ())
        if not chosen:
            raise InvalidInputError([Problem(self.label, f"Choose at least one of the {self.label}, or choose all.")])
        return tuple(name for name in self.options if name in chosen)
