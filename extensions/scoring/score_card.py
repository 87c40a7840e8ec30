"""A score card: the result of a scoring as JSON, signed by the organizer.

The signature is HMAC-SHA256 over the rest of the card in canonical form. Only a holder of the organizer's key file can
check that a card is genuine and unchanged. Others have to ask the organizer.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agreement.statistic import Statistic
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.reading.answers import READER_VERSION
from extensions.scoring.scoring import Scoring

MARK = "touchstone_score_card"
_VERSION = 1
METHOD = "HMAC-SHA256"
_KEY = re.compile(r"[0-9a-f]{64}")
_NEAR = 1e-9


# ---- the key --------------------------------------------------------------------------------------------------------


def new_key(path: Path) -> str:
    """Write a new key file that only its owner may read. Return the public name of the key."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            key = secrets.token_bytes(32)
            file.write(key.hex() + "\n")
    except FileExistsError as error:
        raise InvalidFileError(
            f"{path} already exists, and Touchstone never overwrites keys. Choose another name."
        ) from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot write {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    return _called(key)


def read_key(path: Path) -> bytes:
    """Return the key of a file written by ``new_key``."""
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    if not _KEY.fullmatch(text):
        raise InvalidFileError(
            f"{path} is not a key file with 64 hexadecimal digits. Create a key file with `touchstone score "
            "create-key`."
        )
    return bytes.fromhex(text)


def _called(key: bytes) -> str:
    """Return the public name of a key. The key cannot be derived from the name."""
    return hmac.digest(key, b"touchstone score card key", hashlib.sha256)[:8].hex()


# ---- the card -------------------------------------------------------------------------------------------------------


def card_of(
    scoring: Scoring, *, at: datetime, team: str = "", model: str = "", key: bytes | None = None
) -> dict[str, Any]:
    """Return the score card, signed if a key is given.

    Parameters
    ----------
    at
        The moment of the scoring.
    team, model
        The names under which the file was submitted.
    """
    head, keys = scoring.keys.head, scoring.keys
    card: dict[str, Any] = {
        MARK: _VERSION,
        "benchmark": head.benchmark,
        "title": head.title,
        "release": head.release,
        "split": head.split,
        "release_date": head.date,
        "team": team,
        "model": model,
        "scored_at": at.astimezone(UTC).isoformat(timespec="seconds"),
        "keys": {"sha256": keys.sha256, "items": head.items, "field": head.key},
        "submission": {
            "name": scoring.submission.name,
            "sha256": scoring.submission.sha256,
            "answers": len(scoring.submission.answers),
        },
        "rules": {"unreadable_and_missing": head.unreadable, "reader": READER_VERSION},
        "counts": {**dict(sorted(scoring.outcomes.items())), "extra": len(scoring.extra)},
        "said": scoring.sentences,
        "figures": [
            {
                "measure": figure.measure,
                "of": figure.of,
                **_numbers(figure.statistic),
                "lowest": _number(figure.lowest),
                "highest": _number(figure.highest),
            }
            for figure in scoring.figures
        ],
    }
    return card if key is None else {**card, "signature": _signature(card, key)}


def _numbers(statistic: Statistic) -> dict[str, Any]:
    numbers = {
        "value": _number(statistic.value),
        "low": _number(statistic.low),
        "high": _number(statistic.high),
        "confidence": statistic.confidence,
        "interval": statistic.method,
        "items": statistic.n_units,
        "left_out": statistic.n_left_out,
    }
    return numbers if statistic.reason is None else {**numbers, "reason": statistic.reason}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def card_bytes(card: Mapping[str, Any]) -> bytes:
    """Return a card as the bytes of a file."""
    return json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _signature(card: Mapping[str, Any], key: bytes) -> dict[str, str]:
    covered = {name: value for name, value in card.items() if name != "signature"}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
    return {"method": METHOD, "key": _called(key), "value": hmac.digest(key, text, hashlib.sha256).hex()}


# ---- looking at one -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CheckedCard:
    """The result of a check of a card."""

    holds: bool
    """Every check passed, and the signature was among them."""
    sentences: tuple[str, ...]


def read_card(path: Path) -> dict[str, Any]:
    """Return the card in a file. Raises ``InvalidFileError`` if the file is not a score card."""
    try:
        card = json_text.loaded(json_text.decode(path.read_bytes()))
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    except NotJson as error:
        raise InvalidFileError(
            f"{path} is not a score card: {error}. Create a score card with `touchstone score create --out`."
        ) from error
    if not isinstance(card, dict) or card.get(MARK) != _VERSION:
        raise InvalidFileError(
            f"This version of Touchstone cannot read {path} as a score card. Create a score card with "
            "`touchstone score create --out`."
        )
    return card


def check_card(
    card: Mapping[str, Any],
    *,
    key: bytes,
    keys_sha256: str | None = None,
    submission_sha256: str | None = None,
    again: Scoring | None = None,
) -> CheckedCard:
    """Check that a card is signed with a key and unchanged.

    With hashes of files, the check also asks whether the card is about these files. With a new scoring, it asks whether
    the numbers are reproduced.
    """
    bad, good = [], []
    signature = card.get("signature")
    if not isinstance(signature, Mapping):
        bad.append("The card is not signed.")
    elif signature.get("method") != METHOD:
        bad.append(
            f"The card uses the signature method {signature.get('method')!r}, which this version of Touchstone does "
            "not support."
        )
    elif signature.get("key") != _called(key):
        bad.append(f"The card is signed with the key {signature.get('key')}, but you gave the key {_called(key)}.")
    elif not _signed(card, str(signature.get("value")), key):
        bad.append("The card was changed after signing.")
    else:
        good.append(f"The card is signed with the key {_called(key)} and has not changed since.")
    for what, sha256 in (("keys", keys_sha256), ("submission", submission_sha256)):
        file_facts = card.get(what)
        if sha256 is not None:
            same = isinstance(file_facts, Mapping) and file_facts.get("sha256") == sha256
            file = {"keys": "key file", "submission": "submission"}[what]
            (good if same else bad).append(f"The card belongs to {'this' if same else 'another'} {file}.")
    if again is not None:
        differ = _differences(card, card_of(again, at=datetime.now(UTC)))
        (bad if differ else good).append(
            f"Scored anew, {differ[0]}." if differ else "Scoring the answers again gives the same numbers."
        )
    return CheckedCard(not bad, (*bad, *good))


def _signed(card: Mapping[str, Any], value: str, key: bytes) -> bool:
    try:
        return hmac.compare_digest(_signature(card, key)["value"].encode(), value.encode("utf-8", "replace"))
    except ValueError:  # a number that no card of ours has
        return False


def _differences(card: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Return the figures that differ, each as the end of a sentence."""
    differences = [f"{part} differ from the card" for part in ("counts", "rules") if card.get(part) != again[part]]
    figures = card.get("figures")
    by_measure = (
        {(figure.get("measure"), figure.get("of")): figure for figure in figures} if isinstance(figures, list) else {}
    )
    for figure in again["figures"]:
        own = by_measure.pop((figure["measure"], figure["of"]), {})
        for name in ("value", "low", "high", "lowest", "highest", "items", "left_out"):
            if not _near(own.get(name), figure[name]):
                differences.append(
                    f"{figure['measure']} of {figure['of']}: {name} is {figure[name]}, not {own.get(name)}"
                )
    return differences + [f"{measure} of {of} is missing from the new scores" for measure, of in by_measure]


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)
    return bool(one == other)
