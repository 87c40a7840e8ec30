"""Shortcuts in texts: what a text-only classifier makes of EgoPlan-Val, of planted cues, and of sets without any.

    .venv/bin/python benchmarks/shortcuts.py [--quick] [--data FILE]

EgoPlan-Val is the authors' and not redistributed (``../shared/data/egoplan`` or ``--data``); without it
``egoplan_text_only`` is null. The other sets are made here: options of two words each, keys drawn. In a planted set one
of twenty keys has a cue, of one kind for the whole set.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from extensions.shortcuts.text_classifier import folds_of, scores_of
from testkit.paths import ROOT
from workflow.releases.text_rules import Choice, longest, share_right

DATA = ROOT.parent / "shared" / "data" / "egoplan" / "EgoPlan_validation.json"
VERBS = (
    "open",
    "close",
    "take",
    "put",
    "wash",
    "cut",
    "pour",
    "stir",
    "peel",
    "dry",
    "move",
    "mix",
    "wipe",
    "fill",
    "hold",
    "turn",
)
OBJECTS = (
    "tap",
    "cup",
    "pan",
    "lid",
    "bowl",
    "knife",
    "fork",
    "plate",
    "onion",
    "carrot",
    "sponge",
    "drawer",
    "fridge",
    "bottle",
    "jar",
    "spoon",
    "board",
    "towel",
)
CUES = {
    "word": "{} carefully",
    "length": "{} and then put it where it stood before",
    "same": "none of these",
    "question": "{} next with the thing",
}
"""What becomes of a key that is planted."""


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two sets of each kind instead of ten, of 600 items")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FILE")
    given = parser.parse_args()
    sets, n = (2, 600) if given.quick else (10, 1000)
    begun = time.monotonic()
    figures = {**egoplan(given.data), **planted(sets, n), **clean(sets, n)}
    print(json.dumps({**figures, "seconds": round(time.monotonic() - begun, 1), "machine": machine.described()}))
    return 0


def egoplan(file: Path) -> dict[str, Any]:
    """How often the longest option and the classifier are right in EgoPlan-Val, in per cent, with limits by video."""
    if not file.exists():
        why = f"{file} is not there: the questions are the authors', name their file with --data"
        return {"egoplan_text_only": None, "why": why}
    rows = json.loads(file.read_text(encoding="utf-8"))
    choices = [
        Choice(
            [row[f"choice_{letter}"] for letter in "abcd"],
            "ABCD".index(row["golden_choice_idx"]),
            row["question"],
            str(row["sample_id"]),
            source=row["video_id"],
        )
        for row in rows
    ]
    videos = [each.source for each in choices]
    right = [each.right for each in scores_of(choices, folds_of(videos), refits=1)]
    told = {
        "egoplan_text_only": share_right(right, videos),
        "egoplan_longest": share_right([longest(each.options) == each.key for each in choices], videos),
    }
    found: dict[str, Any] = {"egoplan_items": len(choices)}
    for name, each in told.items():
        found[name] = round(100 * each.value, 2)
        found[f"{name}_limits"] = [round(100 * each.low, 2), round(100 * each.high, 2)]
    return found


def planted(sets: int, n: int) -> dict[str, Any]:
    """Of the planted items of each cue, how many are in the top tenth of scores, and how many are flagged."""
    recall, flagged = {}, {}
    for cue, form in CUES.items():
        top = hit = all_ = 0
        for seed in range(sets):
            choices, ids = made(n, seed=1000 + seed, form=form)
            scores = scores_of(choices, folds_of([each.source for each in choices]))
            first = sorted(scores, key=lambda each: -each.p_key)[: n // 10]
            top += sum(each.choice.id in ids for each in first)
            hit += sum(each.flagged and each.choice.id in ids for each in scores)
            all_ += len(ids)
        recall[cue], flagged[cue] = top / all_, hit / all_
        print(f"{cue:<9} top tenth {recall[cue]:.3f}, flagged {flagged[cue]:.3f}", file=sys.stderr)
    return {
        "planted_recall": round(min(recall.values()), 4),
        "planted_recall_by_cue": {cue: round(each, 4) for cue, each in recall.items()},
        "planted_flagged_by_cue": {cue: round(each, 4) for cue, each in flagged.items()},
    }


def clean(sets: int, n: int) -> dict[str, Any]:
    """Of sets without a cue, how many items are flagged, and in how many sets any is."""
    flags = []
    for seed in range(sets):
        choices, _ = made(n, seed=2000 + seed)
        scores = scores_of(choices, folds_of([each.source for each in choices]))
        flags.append(sum(each.flagged for each in scores))
    return {
        "clean_false_flags": round(sum(flags) / (sets * n), 5),
        "clean_sets": sets,
        "clean_sets_with_a_flag": sum(each > 0 for each in flags),
        "items_of_a_set": n,
    }


def made(n: int, *, seed: int, form: str | None = None) -> tuple[Sequence[Choice], set[str]]:
    """A set of items, five of each source, and the ids of those whose key has the cue."""
    drawn = random.Random(seed)
    ids = {str(at) for at in drawn.sample(range(n), n // 20)} if form else set()
    choices = []
    for at in range(n):
        options = [f"{drawn.choice(VERBS)} {each}" for each in drawn.sample(OBJECTS, 4)]
        key = drawn.randrange(4)
        if form and str(at) in ids:
            options[key] = form.format(options[key])
        choices.append(Choice(options, key, "What should I do next with the thing?", str(at), source=f"v{at // 5}"))
    return choices, ids


if __name__ == "__main__":
    raise SystemExit(main())
