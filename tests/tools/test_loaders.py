"""Other people's loaders: what their environment holds is pinned, and nothing of it is there that no one imports."""

from __future__ import annotations

import re

import pytest

from tools import loaders


@pytest.mark.parametrize("name", sorted(loaders.WANTED))
def test_every_package_has_its_hashes_and_what_is_left_out_is_not_among_them(name: str) -> None:
    text = loaders.lock_of(name).read_text(encoding="utf-8")
    pins = re.findall(r"^([A-Za-z0-9._-]+==\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)", text, re.MULTILINE)
    there = {pin for pin, _ in pins}
    assert len(there) == len(re.findall(r"^[^#\s]", text, re.MULTILINE)), "a pin without a hash"
    wanted = {re.sub(r"\[.*\]", "", each) for each in loaders.WANTED[name]}
    assert wanted <= there
    assert loaders.LEFT_OUT[name].isdisjoint(each.partition("==")[0] for each in there)
