"""Rules of wording (``wording`` of a field): what of them means something in a schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotation_schemas import kinds
from annotation_schemas.grammar import MOST, among, unique
from annotation_schemas.model import WORDING_RULES, ItemField, Schema, Wording, WordLimits
from annotation_schemas.yaml_text import Path
from domain.decimals import exact
from domain.wording import words_of

Found = Iterator[tuple[Path, str]]

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_OF_LISTS = ("alike_length", "no_rewording")
_OF_CHOSEN = ("not_in",)


def check(schema: Schema) -> Found:
    """Yield the problems of fields' languages and of their wording rules."""
    for at, field in enumerate(schema.item.fields):
        path: Path = ("item", "fields", at)
        row = kinds.of_field(field)
        for key in ("language", "wording"):
            if getattr(field, key) is not None and key not in row.keys:
                names = " and ".join(f"`{kind.name}`" for kind in kinds.FIELDS.values() if key in kind.keys)
                yield (*path, key), f"`{key}` works only for fields of kind {names}; remove `{key}`"
        if field.language is not None and not _LANGUAGE.fullmatch(field.language):
            yield (
                (*path, "language"),
                f"`{field.language}` is not a language code; write, for example, `en`, `en-GB` or `de`",
            )
        if field.wording is not None and "wording" in row.keys:
            yield from _rules(schema, field, field.wording, (*path, "wording"))


def _rules(schema: Schema, field: ItemField, told: Wording, path: Path) -> Found:
    row = kinds.of_field(field)
    if not told.rules:
        yield path, f"`wording` has no rule; give one of {', '.join(WORDING_RULES)}, or remove `wording`"
    for rule in told.rules:
        if rule in _OF_LISTS and not row.is_list:
            yield (
                (*path, rule),
                f"`{rule}` works only for fields of kind `text_list`, but `{field.name}` is a single text; "
                "remove the rule",
            )
        elif row.chosen and rule not in _OF_CHOSEN:
            listed = f", or move the rule to `{field.field}`" if field.field else ""
            yield (
                (*path, rule),
                f"authors choose `{field.name}` from a list, so this rule has no effect; remove the rule{listed}",
            )
    if told.person is not None and not kinds.says_english(field):
        yield (
            (*path, "person"),
            f"`person` works only in English, but the language is `{field.language}`; remove `person`",
        )
    if told.words is not None:
        yield from _limits(told.words, (*path, "words"))
    yield from unique([((*path, "forbidden", at), phrase.casefold()) for at, phrase in enumerate(told.forbidden)])
    if len(told.forbidden) > MOST:
        yield (
            (*path, "forbidden"),
            f"the list has {len(told.forbidden):,} entries, but at most {MOST:,} are allowed; remove entries",
        )
    for at, phrase in enumerate(told.forbidden):
        if not words_of(phrase):
            yield (*path, "forbidden", at), f"`{phrase}` has no word to look for; write a word, or remove the entry"
    if told.ends_with is not None and not told.ends_with.strip():
        yield (*path, "ends_with"), "`ends_with` is empty; write the required ending, such as `?`"
    if told.alike_length is not None and (exact(told.alike_length) or 0) < 1:
        yield (
            (*path, "alike_length"),
            "`alike_length` is the longest length divided by the shortest; give 1 or more, such as 1.5",
        )
    yield from _elsewhere(schema, field, told, path)
    for at, rule in enumerate(told.stops):
        if rule not in told.rules:
            known = rule in WORDING_RULES
            why = "is not set in `wording`, so `stops` cannot use the rule" if known else "is not a wording rule"
            yield (*path, "stops", at), f"`{rule}` {why}{among(rule, list(told.rules))}"
    yield from unique([((*path, "stops", at), rule) for at, rule in enumerate(told.stops)])


def _limits(limits: WordLimits, path: Path) -> Found:
    if limits.least is None and limits.most is None:
        yield path, "the rule is empty; give `least`, `most` or both"
    for key in ("least", "most"):
        number = getattr(limits, key)
        if number is not None and number < 1:
            yield (*path, key), f"the number must be at least 1; for no limit, remove `{key}`"
    if limits.least is not None and limits.most is not None and limits.least > limits.most:
        yield (*path, "most"), "`most` is less than `least`; raise `most`, or lower `least`"


def _elsewhere(schema: Schema, field: ItemField, told: Wording, path: Path) -> Found:
    """Yield the problems of `not_in`. Its names must be other fields with text, which authors see on the page."""
    texts = {
        item_field.name for item_field in schema.item.fields if kinds.of_field(item_field).holds in ("text", "texts")
    }
    yield from unique([((*path, "not_in", at), other) for at, other in enumerate(told.not_in)])
    for at, name in enumerate(told.not_in):
        here = (*path, "not_in", at)
        if name not in texts - {field.name}:
            complaint = "is the field itself" if name == field.name else "is not a field with text"
            yield here, f"`{name}` {complaint}{among(name, sorted(texts - {field.name}))}"
        elif name == field.field and kinds.of_field(field).chosen:
            yield (
                here,
                (
                    f"authors choose `{field.name}` from `{name}`, so the chosen text always appears in the list; "
                    "name another field"
                ),
            )
        elif schema.stages.authoring is not None and field.authored and not schema.item.field(name).authored:
            yield (
                here,
                (
                    f"`{name}` comes only from files (`authored: false`), so authors cannot follow this rule; name "
                    "another field"
                ),
            )
