"""Every key of the grammar has a class of changes, and a changed key is found."""

from __future__ import annotations

import pytest

from extensions.schema_migration.changes import compare, grammar_keys
from testkit.missing_extensions import needs
from tests.test_keys import KEYS, ROWS, both_schemas


def test_every_key_of_the_grammar_has_a_rule() -> None:
    ruled = {f"{part.__name__}.{key}" for part, rules in grammar_keys.KEYS.items() for key in rules}
    assert set(KEYS) == ruled, "changes/grammar_keys.py says what a changed key means for a project in use"


@needs("kinds", "plan")
@pytest.mark.parametrize("key", ROWS)
def test_a_changed_key_is_a_difference(key: str) -> None:
    old, new = both_schemas(ROWS[key])
    assert compare(old.schema_, new.schema_).changes
