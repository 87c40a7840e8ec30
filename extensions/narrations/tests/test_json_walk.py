"""JSON that is read from left to right refuses a key that stands twice in one object."""

from __future__ import annotations

import pytest

from extensions.narrations.files.json_walk import JsonBreak, Walk

WHY = "the key '{}' appears twice in one object"


def test_a_repeated_key_is_refused_at_any_depth() -> None:
    with pytest.raises(JsonBreak, match=WHY.format("b")):
        Walk('{"a": [1, {"b": 1, "b": 2}]}').tree()
    with pytest.raises(JsonBreak, match=WHY.format("a")):
        Walk('{"a": 1, "a": 2}').tree()
    with pytest.raises(JsonBreak, match=WHY.format("a")):
        Walk('{"a": 1, "a": 2}').value()
