"""Leaks of keys that are not one option: numbers, words, orders and sets of options."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.formats.released import ReleasedAsset
from extensions.leaks.check import find_leaks
from extensions.leaks.tests.made_release import WORDS, picture, sha
from tests.workflow.releases.made import made, schema_of

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("kind: decimal, read_as: number", lambda dice: str(dice.randrange(100))),
        ("kind: text, read_as: yes_no", lambda dice: dice.choice(["yes", "no"])),
        ("kind: text, read_as: text", lambda dice: dice.choice(WORDS)),
        ("kind: options_of, field: options", lambda dice: sorted(dice.sample(WORDS[:4], 2), key=WORDS.index)),
        ("kind: order_of, field: options", lambda dice: dice.sample(WORDS[:4], 4)),
    ],
)
def test_keys_of_other_kinds(key: str, right: Callable[[random.Random], Any], tmp_path: Path) -> None:
    """A column that is the key is found whatever the key is, and without it nothing is."""
    dice = random.Random(2)
    rows = [
        (f"q{n:03}", "what", "test", {"question": f"What is it in {n}?", "options": WORDS[:4], "answer": right(dice)})
        for n in range(60)
    ]
    made(schema_of(key), rows).keys(tmp_path / "private")
    public = tmp_path / "public"
    public.mkdir()

    def found(**more: Callable[[Any], Any]) -> set[str]:
        lines = [
            {"id": id, "question": fields["question"], "options": fields["options"]}
            | {name: how(fields["answer"]) for name, how in more.items()}
            for id, _, _, fields in rows
        ]
        (public / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
        return {leak.kind for leak in find_leaks(public, tmp_path / "private").leaks}

    assert found() == set()
    assert found(shelf=lambda answer: answer) == {"key"}
    if isinstance(right(dice), list):
        assert found(shelf=lambda answer: ", ".join("ABCD"[WORDS.index(each)] for each in answer)) == {"key"}


Options = list[str]


def bits(options: Options, answer: Options) -> str:
    return "".join(str(int(option in answer)) for option in options)


def letters(options: Options, answer: Options) -> str:
    return "".join("ABCD"[at] for at, option in enumerate(options) if option in answer)


def several(dice: random.Random, options: Options) -> Options:
    return [option for option in options if dice.random() < 0.5]


def with_full_stops(dice: random.Random, options: Options) -> Options:
    """Choose right options and give only these a full stop."""
    right = several(dice, options)
    options[:] = [f"{option}." if option in right else option for option in options]
    return [f"{option}." for option in right]


def sets(
    folder: Path,
    seed: int = 5,
    *,
    n: int = 60,
    name: Callable[[int, Options, Options], str] = lambda at, options, answer: f"q{at:03}",
    right: Callable[[random.Random, Options], Options] = several,
    order: Callable[[tuple[Options, Options]], Any] | None = None,
    wide: Callable[[Options, Options], int] | None = None,
    **more: Callable[[Options, Options], Any],
) -> set[str]:
    """Return the kinds of leaks of items with several right options; each has options of its own, in shuffled order."""
    dice = random.Random(seed)
    drawn = []
    for _ in range(n):
        options = dice.sample(WORDS, 4)
        drawn.append((options, right(dice, options)))
    if order is not None:
        drawn.sort(key=order)
    rows, lines = [], []
    images: dict[str, bytes] = {}
    for at, (options, answer) in enumerate(drawn):
        id, question = name(at, options, answer), f"Which are in {dice.randrange(10**6)}?"
        key = dice.sample(answer, len(answer))
        rows.append((id, "what", "test", {"question": question, "options": options, "answer": key}))
        public = {"id": id, "question": question, "options": options, "frames": dice.randrange(1, 9)}
        lines.append(public | {column: tell(options, answer) for column, tell in more.items()})
        if wide is not None:
            images[id] = picture(dice.randrange(10**6), wide=wide(options, answer))
    assets = {id: [ReleasedAsset("image", "x.png", "image", sha(own), "image/png", 1)] for id, own in images.items()}
    made(schema_of("kind: options_of, field: options"), rows, assets=assets).keys(folder / "private")
    (folder / "public" / "media").mkdir(parents=True, exist_ok=True)
    for own in images.values():
        (folder / "public" / "media" / f"{sha(own)}.png").write_bytes(own)
    for path in folder.rglob("*.png"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (folder / "public" / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return {leak.kind for leak in find_leaks(folder / "public", folder / "private").leaks}


@pytest.mark.parametrize(
    "name",
    [
        lambda at, options, answer: f"{at:03}-{bits(options, answer)}",
        lambda at, options, answer: f"{at:03}-{bits(options, answer)[::-1]}",
        lambda at, options, answer: f"{at:03}-{letters(options, answer) or 'none'}",
        lambda at, options, answer: f"{at:03}-{len(answer)}",
        lambda at, options, answer: f"{at:03}{int(bits(options, answer), 2) ^ 5:x}",
    ],
    ids=["bits", "bits from the last", "letters", "number", "mixed mask"],
)
def test_ids_that_tell_a_set_are_found(name: Callable[[int, Options, Options], str], tmp_path: Path) -> None:
    assert sets(tmp_path, name=name) == {"ids"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tell", "kind"),
    [
        (lambda options, answer: answer[::-1], "key"),
        (lambda options, answer: "; ".join(answer[::-1]), "key"),
        (lambda options, answer: letters(options, answer), "key"),
        (lambda options, answer: " and ".join(letters(options, answer).lower()), "key"),
        (lambda options, answer: [option in answer for option in options], "key"),
        (lambda options, answer: f"The answer: {', '.join(letters(options, answer))}.", "key"),
        (lambda options, answer: len(answer), "columns"),
        (lambda options, answer: "several" if len(answer) > 1 else "single", "columns"),
        (lambda options, answer: options[1] in answer, "columns"),
        (lambda options, answer: letters(options, [each for each in options if each not in answer]), "columns"),
        (lambda options, answer: "seen" + " " * (options[2] in answer), "writing"),
    ],
)
def test_columns_that_tell_a_set_are_found(tell: Callable[[Options, Options], Any], kind: str, tmp_path: Path) -> None:
    assert sets(tmp_path, shelf=tell) == {kind}


@pytest.mark.slow
def test_the_order_of_rows_and_options_that_tells_a_set_is_found(tmp_path: Path) -> None:
    assert sets(tmp_path / "first", right=lambda dice, options: options[: dice.randrange(1, 4)]) == {"places"}
    assert sets(tmp_path / "last", right=lambda dice, options: options[dice.randrange(1, 4) :]) == {"places"}
    by_number = sets(tmp_path / "number", order=lambda drawn: len(drawn[1]))
    assert by_number >= {"order"}
    assert sets(tmp_path / "one", order=lambda drawn: drawn[0][1] in drawn[1]) >= {"order"}
    assert sets(tmp_path / "full stops", right=with_full_stops) == {"writing"}


@pytest.mark.slow
def test_sizes_of_files_that_tell_a_set_are_found(tmp_path: Path) -> None:
    assert sets(tmp_path / "number", wide=lambda options, answer: 18 + 4 * len(answer)) == {"sizes"}
    assert sets(tmp_path / "one", wide=lambda options, answer: 18 + 8 * (options[2] in answer)) == {"sizes"}
    assert sets(tmp_path / "none", wide=lambda options, answer: 18) == set()


@pytest.mark.slow
def test_clean_sets_raise_no_alarm(tmp_path: Path) -> None:
    """Keys of one option, of all options and of none. At the level of 0.001, two alarms of 30 have p < 0.0005."""
    alarms = 0
    for seed in range(30):
        dice = random.Random(seed)
        ids = [f"{at:03}-{dice.randrange(16):04b}" for at in range(60)]
        alarms += bool(sets(tmp_path / str(seed), seed, name=lambda at, options, answer, ids=ids: ids[at]))
    assert alarms <= 1
