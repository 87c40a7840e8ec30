"""Measure how often the readers misread or lose models' answers whose truth is known.

    .venv/bin/python -m benchmarks.reading [--quick] [--failed N]

Each wording (``tuned``, ``held_out``) becomes an answer about several items, with the key at every place in turn. An
ordinary answer states the key; an adversarial one states none, several, or corrects itself. Silently wrong is a reading
that is not the truth; lost is an answer that was stated and not read. The last line of the output is one JSON object.
The exit status is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from benchmarks import machine
from benchmarks.reading import held_out, tuned, tuned_more
from benchmarks.reading.cases import asymmetric, measure
from domain.reading.answers import READER_VERSION, AnswerKind, ExpectedAnswer, read_answer

SEED = 20261129
REPEAT = 4
"""Items of each wording, each with its key at up to four places."""
GOALS = {"ordinary": (1.0, 4.0), "adversarial": (4.0, None)}
"""Highest allowed percentages of silently wrong and of lost answers."""
_TUNED = [*tuned.WORDINGS, *tuned_more.WORDINGS]
_SEEN = {(each.text, each.kind, each.each) for each in _TUNED}
PARTS = {
    "tuned": _TUNED,
    "held_out": [each for each in held_out.WORDINGS if (each.text, each.kind, each.each) not in _SEEN],
}


def figures(part: str, *, repeat: int, failed: int = 0) -> dict[str, Any]:
    """Return both rates of one half of the wordings, and the wordings that are not read alike for every place."""
    rates, wrong = measure(PARTS[part], seed=SEED, repeat=repeat)
    shown: set[str] = set()
    for case, reading, verdict in wrong:
        if len(shown) < failed and case.wording.text not in shown:
            shown.add(case.wording.text)
            machine.log(
                f"{verdict}: {case.wording.manner}: {case.text!r} -> {reading.value!r} ({reading.rule or reading.why}), truth {case.truth!r}"
            )
    found: dict[str, Any] = {group: each.shares() for group, each in rates.items()}
    found["asymmetric_wordings"] = len(asymmetric(PARTS[part], seed=SEED))
    return found


def missed(found: dict[str, Any]) -> list[str]:
    """Return the goals that a half of the wordings misses."""
    return [
        f"{group}: {what} {found[group][what]} %, and {most} % is the most"
        for group, goals in GOALS.items()
        for what, most in zip(("silently_wrong_percent", "lost_percent"), goals, strict=True)
        if most is not None and found[group][what] > most
    ]


def microseconds() -> float:
    """Return how long one answer of about 2,000 characters takes, on average over four kinds of them."""
    asked = ExpectedAnswer(
        AnswerKind.OPTION, ("put the pot on the stove", "keep driving", "open the fridge", "wash the carrot")
    )
    why = "The person is standing at the counter and holds a cloth; A, B, C and D are compared with what is shown. "
    texts = [why * 19 + end for end in ("The answer is B.", "**B. keep driving**", "\\boxed{B}", "I can't tell.")]
    began = time.process_time()
    for _ in range(25):
        for text in texts:
            read_answer(text, asked)
    return (time.process_time() - began) / 100 * 1e6


def main() -> int:
    """Read all cases and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one item of each wording")
    parser.add_argument("--only", choices=tuple(PARTS), help="one half of the wordings")
    parser.add_argument("--failed", type=int, default=0, metavar="N", help="show N wordings that are not read rightly")
    given = parser.parse_args()
    parts = (given.only,) if given.only else tuple(PARTS)
    found: dict[str, Any] = {
        part: figures(part, repeat=1 if given.quick else REPEAT, failed=given.failed) for part in parts
    }
    misses = [f"{part}: {words}" for part in parts for words in missed(found[part])]
    for words in misses:
        machine.log(words)
    print(json.dumps({"reader_version": READER_VERSION, **found, "microseconds_per_answer": round(microseconds())}))
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
