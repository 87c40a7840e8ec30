"""Replies in shards: the rows of each question become its attempts, or are stored as rows that answer no question."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from domain.errors import InvalidFileError
from domain.runs import Attempt, Outcome
from extensions.batch import queries
from extensions.batch.batch_command import BatchCommand
from extensions.batch.batch_results import ReadIn, ResultLine, attempt_of, problem, store_all
from extensions.batch.shard_files import read_replies
from inference.endpoint.asking import apart
from inference.endpoint.replies import LONGEST_RAW, EndpointReply, read_response, storable

T = TypeVar("T", int, float)

MOST_SECONDS, MOST_TOKENS = 10**7, 10**9
"""The largest numbers that a reply may report."""
_FACTS = ("engine", "version", "revision")


class ReplyReader:
    """Reads files of replies into the ledger. Each file is read once, except a file that was incomplete."""

    def __init__(self, at: BatchCommand) -> None:
        self.at = at
        self.unreadable: dict[Path, str] = {}
        """Why a file cannot be read."""
        self._done: set[Path] = set()
        self._seen: Counter[str] = Counter()

    def read(self, paths: Sequence[Path]) -> ReadIn:
        """Store the replies of the files that were not read before."""
        return store_all(self.at, self._results([path for path in paths if path not in self._done]))

    def tell_unreadable(self) -> int:
        """Store a problem for each file that cannot be read. Return the number of new problems."""
        rows = [
            problem(self.at, f"file-{hashlib.sha256(path.read_bytes()).hexdigest()}", f"{path}: {why}", path.name)
            for path, why in self.unreadable.items()
        ]
        with self.at.store.write() as session:
            return queries.add_problems(session, rows=rows)

    def _results(self, paths: Sequence[Path]) -> Iterator[ResultLine]:
        for path in paths:
            try:
                rows = read_replies(path)
            except InvalidFileError as error:
                self.unreadable[path] = str(error)
                continue
            self.unreadable.pop(path, None)
            self._done.add(path)
            for some in _by_question(rows):
                digest = hashlib.sha256(json.dumps(some).encode()).hexdigest()
                self._seen[digest] += 1
                yield result_of(some, digest, self._seen[digest], model=self.at.spec.model or "")


def _by_question(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the rows of each question, by their tries. A try that a file has twice begins a further group."""
    groups: dict[tuple[Any, int], list[Mapping[str, Any]]] = {}
    seen: Counter[tuple[Any, Any]] = Counter()
    for row in rows:
        key = row["id"], row["try"]
        groups.setdefault((row["id"], seen[key]), []).append(row)
        seen[key] += 1
    return [sorted(group, key=lambda row: row["try"] or 0) for group in groups.values()]


def result_of(rows: Sequence[Mapping[str, Any]], digest: str, which: int, *, model: str) -> ResultLine:
    """Return the result of one question. ``model`` is the model that was asked."""
    text = storable(json.dumps(rows[-1], ensure_ascii=False))[0]
    last = rows[-1]
    why = ""
    if last["id"] is None:
        why = "The row has no id."
    elif any(row["try"] is None or row["try"] < 1 for row in rows):
        why = f"The row with the id {last['id'][:100]!r} has no valid try. Use 1, 2 and so on."
    elif any(row["status"] is not None and not 100 <= row["status"] < 600 for row in rows):
        why = f"The row with the id {last['id'][:100]!r} has no valid status. Use the HTTP status of the reply."
    tries = () if why else tuple(_attempt(row, model) for row in rows)
    return ResultLine(last["id"], text, digest, which, tries, why, last["prompt_hash"])


def _attempt(row: Mapping[str, Any], model: str) -> Attempt:
    """Return the attempt of a row. The body is read as if the endpoint had just sent it."""
    headers = {"x-request-id": row["request_id"]} if row["request_id"] else {}
    if row["status"] is not None:
        reply = read_response(row["status"], headers, row["raw"] or "")
    elif row["error"]:
        reply = EndpointReply(Outcome.TRANSPORT_ERROR, error=storable(row["error"])[0])
    else:
        reply = EndpointReply(Outcome.UNREADABLE, error="The row has no status and no error.")
    detail: dict[str, Any] = {"attempt": row["try"], **apart(reply, model)}
    detail |= {name: row[name] for name in _FACTS if row[name] is not None}
    if reply.raw:
        detail["raw"] = reply.raw
        if reply.length > LONGEST_RAW:
            detail["raw_characters"] = reply.length
    attempt = attempt_of(reply, detail)
    return replace(
        attempt,
        seconds=_within(row["seconds"], MOST_SECONDS),
        tokens_in=attempt.tokens_in if attempt.tokens_in is not None else _within(row["tokens_in"], MOST_TOKENS),
        tokens_out=attempt.tokens_out if attempt.tokens_out is not None else _within(row["tokens_out"], MOST_TOKENS),
    )


def _within(value: T | None, most: int) -> T | None:
    """Return a number, or None for one that cannot be: negative, too large, or not a number."""
    return value if value is not None and 0 <= value <= most else None
