"""Who may read a comment, whom it mentions, what it gives away."""

from __future__ import annotations

from itertools import product

import pytest

from extensions.comments.rules import gives_away, may_read, mentioned


def test_every_case_of_who_may_read() -> None:
    for whole, mine, for_me, early, open_ in product([True, False], repeat=5):
        expected = True if whole or mine else for_me and not (open_ and not early)
        assert may_read(whole=whole, mine=mine, for_me=for_me, early=early, open_=open_) is expected


@pytest.mark.parametrize(
    ("text", "logins"),
    [
        ("", []),
        ("@sam", ["sam"]),
        ("(@Sam), @sam! @lea-k.", ["sam", "lea-k"]),
        ("write to sam@lab.org or @@x", []),
        ("a @ b", []),
    ],
)
def test_mentions(text: str, logins: list[str]) -> None:
    assert mentioned(text) == logins


def test_a_secret_is_found_however_it_is_written() -> None:
    secrets = {"answer": "Red cup ", "letter": "B", "concepts": ["handle", {"name": "steam"}], "number": 12}
    assert gives_away("it is the red CUP, isn't it", secrets) == ["answer"]
    assert gives_away("look for Steam", secrets) == ["concepts"]
    assert gives_away("B, and 12 of them", secrets) == []
