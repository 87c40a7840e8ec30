"""What files of answers hold where a model gave none: nothing at all, or what another harness wrote in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from domain.records import PredictionRecord
from domain.runs import Outcome


@dataclass(frozen=True)
class Placeholder:
    """What a harness writes in place of an answer that it did not get. A text is one if it begins so."""

    text: str
    harness: str


PLACEHOLDERS = (
    Placeholder("Failed to obtain answer", "VLMEvalKit"),
    Placeholder("[LMMS_EVAL_REQUEST_FAILED", "lmms-eval"),
    Placeholder("$ERROR$", "FastChat"),
    Placeholder("**NETWORK ERROR DUE TO HIGH TRAFFIC", "FastChat"),
)


def settled(record: PredictionRecord) -> PredictionRecord:
    """A row of a file as what it is: an answer, or an attempt that ended without one. Its text stays as it stands.

    >>> settled(PredictionRecord("m", " ")).outcome.value
    'empty'
    >>> settled(PredictionRecord("m", "Failed to obtain answer via API.")).outcome.value
    'transport_error'
    """
    if record.outcome is not Outcome.ANSWERED:
        return record
    text = record.text.strip()
    if not text.strip("\u200b\ufeff\u2060"):
        return replace(record, outcome=Outcome.EMPTY, error="The file holds no text for it.")
    found = next((each for each in PLACEHOLDERS if text.startswith(each.text)), None)
    if found is not None:
        error = f"{found.harness} got no answer: its file holds {text[:100]!r}."
        return replace(record, outcome=Outcome.TRANSPORT_ERROR, error=error)
    return record
