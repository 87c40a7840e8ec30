"""Models' answers out of logs of Inspect (inspect-ai): ``.eval``, an archive of JSON files, or ``.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.formats import Format, Misfit, Takes, name_of_rater, short
from domain import json_text
from domain.json_text import NotJson
from domain.records import BadRow, PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.harness import Harness, ids_in, name_unread
from extensions.harnesses.inspect_archive import InspectArchive, is_archive
from extensions.harnesses.shown_options import counted_columns, listed_options
from importers.answer_files import AnswerFile, Rows

_JSON = re.compile(r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_NO_MODEL = "none/none"
"""Inspect's model name for a task that asks no model, or several under other names."""
_ERROR_SHOWN = 300
_BOOKKEEPING = (
    *("epoch", "input", "target", "messages", "output", "metadata", "error", "limit", "invalidation", "attachments"),
    *("sandbox", "files", "setup", "store", "events", "timelines", "events_data", "error_retries", "uuid"),
    *("model_usage", "role_usage", "started_at", "completed_at", "total_time", "working_time", "turn_count"),
)
"""Keys of a sample that are used, or are irrelevant for the answer."""


def recognises(file: AnswerFile) -> bool:
    """Return whether the file is a log, as an archive or as JSON."""
    if file.head.startswith("PK"):
        return is_archive(file)
    return file.path.suffix.lower() == ".eval" or bool(_JSON.match(file.head))


def rows(file: AnswerFile) -> Rows:
    """Yield the answers to all samples, those of the first epoch first. Of several answers to one item, the first
    counts.
    """
    rows: list[tuple[int, PredictionRecord | None, BadRow]] = []
    log, samples = _log(file)
    number = 0
    for number, (name, sample) in enumerate(samples, 1):
        raw, epoch = name, 1
        try:
            if isinstance(sample, NotJson):
                raise Misfit(f"Touchstone cannot read sample {name}: {sample}")
            if not isinstance(sample, Mapping):
                raise Misfit("the sample is not an object {...}")
            raw, epoch = _short(sample), _epoch(sample)
            rows.append((epoch, _answer(sample, log, file), file.here(number, raw)))
        except Misfit as error:
            rows.append((epoch, None, file.here(number, raw, str(error))))
    if not number:
        yield (
            None,
            file.here(
                1,
                reason=f"the log has no samples, because its run ended before the first sample (status: {log.status})",
            ),
        )
    rows.sort(key=lambda row: row[0])  # stable: within an epoch as they stood
    yield from ((answer, here) for _, answer, here in rows)


@dataclass(frozen=True)
class _Log:
    """The facts in the head of a log that hold for all of its samples."""

    model: str | None
    status: str
    whole: int | None
    """The number of samples in the whole data set; None if the run was limited to some, or if unknown."""


def _log(file: AnswerFile) -> tuple[_Log, Iterator[tuple[str, Any]]]:
    if file.head.startswith("PK") or file.path.suffix.lower() == ".eval":
        archive = InspectArchive(file)
        return _about(archive.head()), archive.samples()
    whole = file.value()
    samples = whole.get("samples")
    listed = samples if isinstance(samples, Sequence) and not isinstance(samples, str) else ()
    return _about(whole), ((f"number {number}", sample) for number, sample in enumerate(listed, 1))


def _about(head: Mapping[str, Any]) -> _Log:
    about = _part(head, "eval")
    config, data = _part(about, "config"), _part(about, "dataset")
    model, count = about.get("model"), data.get("samples")
    limited = config.get("limit") is not None or config.get("sample_id") is not None
    return _Log(
        json_text.showable(model) if isinstance(model, str) and model not in {"", _NO_MODEL} else None,
        str(head.get("status") or "started"),
        count if isinstance(count, int) and not limited else None,
    )


def _part(whole: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = whole.get(key)
    return part if isinstance(part, Mapping) else {}


def _answer(sample: Mapping[str, Any], log: _Log, file: AnswerFile) -> PredictionRecord:
    if sample.get("invalidation"):
        raise Misfit("the sample is marked as invalid in Inspect")
    output, notes = _part(sample, "output"), sample.get("metadata")
    name_unread(file, sample, _BOOKKEEPING)
    name_unread(file, notes)
    model = file.model or log.model or output.get("model")
    if not isinstance(model, str) or not model.strip():
        raise Misfit(file.unknown)
    text = _completion(sample, output)
    outcome, error = _outcome(sample, output, text)
    return PredictionRecord(
        name_of_rater(json_text.showable(model), "model"),
        text,
        dimension=file.dimension,
        question=_asked(sample),
        ids=(*ids_in(file.schema, notes), *_own_id(sample.get("id"), log)),
        outcome=outcome,
        error=error,
        options=listed_options({"choices": sample.get("choices")}, notes),
        columns=counted_columns(notes),
        prompt=_prompt(sample),
    )


def _own_id(id: Any, log: _Log) -> tuple[str, ...]:
    """Return a sample's id if the data set has ids. Inspect numbers samples without one: 1, 2, ..."""
    if isinstance(id, str) and id.strip():
        return (short(json_text.showable(id), "id"),)
    if isinstance(id, int) and not isinstance(id, bool) and (id < 1 or (log.whole is not None and id > log.whole)):
        return (str(id),)
    return ()


def _epoch(sample: Mapping[str, Any]) -> int:
    epoch = sample.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int):
        raise Misfit("epoch is not a number")
    return epoch


def _outcome(sample: Mapping[str, Any], output: Mapping[str, Any], text: str) -> tuple[Outcome, str]:
    """Return the outcome of a sample, and the reason for a missing answer."""
    error, limit = sample.get("error"), sample.get("limit")
    if error:
        message = error.get("message") if isinstance(error, Mapping) else error
        return Outcome.FAILED, f"Inspect recorded an error: {_opening(message)}"
    stop = _stop(output)
    if output.get("error") or stop == "content_filter":
        return Outcome.REFUSED, f"Inspect: {_opening(output.get('error') or stop)}"
    if limit:
        kind = limit.get("type") if isinstance(limit, Mapping) else limit
        why = f"Inspect stopped the sample at a limit ({_opening(kind)})."
        return (Outcome.TRUNCATED if text.strip() else Outcome.FAILED), why
    if stop in {"max_tokens", "model_length"} and text.strip():
        return Outcome.TRUNCATED, f"Inspect: {stop}"
    return Outcome.ANSWERED, ""


def _opening(words: Any) -> str:
    return str(json_text.showable(" ".join(str(words).split())[:_ERROR_SHOWN]))


def _stop(output: Mapping[str, Any]) -> str | None:
    first = _first_choice(output)
    reason = first.get("stop_reason") or output.get("stop_reason")
    return reason if isinstance(reason, str) else None


def _first_choice(output: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


# ---- texts ----------------------------------------------------------------------------------------------------------


def _completion(sample: Mapping[str, Any], output: Mapping[str, Any]) -> str:
    """Return the model's text: ``output.completion``, or without it the message of the first choice."""
    completion = output.get("completion")
    if not isinstance(completion, str):
        completion = _words(_part(_first_choice(output), "message").get("content"))
    return _shown(completion, sample)


def _asked(sample: Mapping[str, Any]) -> str | None:
    """Return the text of the input; for a conversation, the user's texts."""
    given = sample.get("input")
    if isinstance(given, list):
        given = _of_user(given, sample)
    return (_shown(given, sample) or None) if isinstance(given, str) else None


def _prompt(sample: Mapping[str, Any]) -> str:
    """Return the text that the model read: the user's messages with the options of the task, or the input."""
    messages = sample.get("messages")
    return (_of_user(messages, sample) if isinstance(messages, list) else "") or _asked(sample) or ""


def _of_user(messages: Sequence[Any], sample: Mapping[str, Any]) -> str:
    turns = [turn for turn in messages if isinstance(turn, Mapping) and turn.get("role") == "user"]
    return "\n".join(_shown(_words(turn.get("content")), sample) for turn in turns)


def _words(content: Any) -> str:
    """Return the text of a message, which may be in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return "\n".join(part for part in parts if isinstance(part, str))


def _shown(text: str, sample: Mapping[str, Any]) -> str:
    """Return a text in storable form. A text that the log stores as an attachment is looked up."""
    if text.startswith("attachment://"):
        kept = _part(sample, "attachments").get(text.removeprefix("attachment://"))
        text = kept if isinstance(kept, str) else text
    return str(json_text.showable(text))


def _short(sample: Mapping[str, Any]) -> str:
    """Return a short form of an invalid sample: its id, its epoch and its answer."""
    about = {key: sample.get(key) for key in ("id", "epoch")}
    return json.dumps({**about, "completion": _part(sample, "output").get("completion")}, ensure_ascii=False)[:2000]


ROWS = (
    Format(
        "inspect_log",
        "models' answers in Inspect logs, `.eval` or `.json`",
        Takes.ANSWERS,
        place=42,
        reads=Harness("log of Inspect", recognises, rows, endings=(".eval", ".json")),
    ),
)
