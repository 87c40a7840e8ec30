"""The worker of an executor: it asks an endpoint the questions of shards, and writes a file of replies per batch.

A file appears when its batch is complete. So a killed worker loses only the batches in its hands.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from domain.errors import RunStoppedError
from domain.runs import Attempt
from extensions.batch.shard_files import ShardFolder, ShardQuestion, ShardReply
from inference.endpoint.asking import Call, EndpointAsker
from inference.endpoint.client import Client
from inference.endpoint.replies import LONGEST_RAW, EndpointReply
from inference.spec import Endpoint, ModelSpec

BATCH = 25
"""The number of questions in a batch."""
AT_ONCE = 4
"""The number of batches that a worker asks at the same time, so that a slow reply does not hold up the others."""
_CHARACTERS_A_TOKEN, _TOKENS_A_PICTURE = 3.5, 800


def share_of(endpoint: Endpoint, workers: int) -> Endpoint:
    """Return the limits of one of several workers, so that all together keep the limits of the endpoint.

    With ``max_calls``, a question is sent once, because a run has at most that many questions in its shards.
    """

    def shared(limit: float | None) -> float | None:
        return None if limit is None else limit / workers

    return endpoint.model_copy(
        update={
            "concurrency": max(1, endpoint.concurrency // workers),
            "requests_per_minute": shared(endpoint.requests_per_minute),
            "tokens_per_minute": shared(endpoint.tokens_per_minute),
            "attempts": 1 if endpoint.max_calls is not None else endpoint.attempts,
            "max_calls": None,
            "max_cost": None,
        }
    )


class Ask:
    """Asks the questions of shards. Several threads may use it, and Ray creates one for each of its workers.

    Parameters
    ----------
    folder
        The folder of the run.
    workers
        The number of workers of the run, which share the limits of the endpoint.
    listed
        The private hosts that the operator allows.
    """

    def __init__(self, folder: str, workers: int = 1, listed: Sequence[str] = (), engine: str = "local") -> None:
        self.folder = ShardFolder.open(Path(folder))
        spec = ModelSpec.model_validate(self.folder.described["spec"])
        assert spec.endpoint is not None
        assert spec.model is not None
        client = Client(share_of(spec.endpoint, workers), spec.model, listed=listed)
        self.facts = {"engine": engine, "version": client.versions.get("openai"), "revision": spec.revision}
        self.asker = EndpointAsker(client)

    def ask(self, questions: Sequence[ShardQuestion], stop: Callable[[], bool] = lambda: False) -> int:
        """Ask a batch of questions and write their replies. Return the number of questions with a final reply.

        Raises
        ------
        RunStoppedError
            Further requests are useless. The replies that came are written.
        """
        ids = [question.id for question in questions]
        if self.folder.has_replies(ids):
            return len(ids)
        batch = _Batch(questions, self.facts)
        calls = [self._call(number, question, batch) for number, question in enumerate(questions)]
        try:
            self.asker.ask(calls, tell=batch.tell, stop=stop)
        finally:
            if batch.ended:
                self.folder.write_replies([ids[number] for number in sorted(batch.ended)], batch.final_rows())
        return len(batch.ended)

    async def __call__(self, table: Any) -> AsyncIterator[dict[str, list[Any]]]:
        """Ask a batch of Ray Data, an Arrow table. Yield how many were asked, or why the run has to stop."""
        questions = [ShardQuestion(**row) for row in table.to_pylist()]
        try:
            yield {"asked": [await asyncio.to_thread(self.ask, questions)], "stopped": [""]}
        except RunStoppedError as error:
            yield {"asked": [0], "stopped": [str(error)]}

    def close(self) -> None:
        """Close the connections."""
        self.asker.close()

    def _call(self, number: int, question: ShardQuestion, batch: _Batch) -> Call:
        sampling = json.loads(question.sampling)
        pictures = question.messages.count('"image_url":')
        return Call(
            unit_id=number,
            messages=partial(self.folder.with_pictures, question.messages),
            parameters=sampling,
            tokens=len(question.messages) / _CHARACTERS_A_TOKEN + pictures * _TOKENS_A_PICTURE,
            longest=int(sampling.get("max_tokens") or sampling.get("max_completion_tokens") or 0),
            heard=partial(batch.hear, number),
        )


class _Batch:
    """The replies to a batch, as they come."""

    def __init__(self, questions: Sequence[ShardQuestion], facts: Mapping[str, Any]) -> None:
        self.questions, self.facts = questions, facts
        self.heard: dict[int, EndpointReply] = {}
        self.rows: dict[int, list[ShardReply]] = {}
        self.ended: set[int] = set()

    def hear(self, number: int, reply: EndpointReply) -> None:
        self.heard[number] = reply

    def tell(self, attempt: Attempt) -> None:
        reply = self.heard.pop(attempt.unit_id, None)
        question = self.questions[attempt.unit_id]
        sent = reply is not None and reply.status is not None
        row = ShardReply(
            id=question.id,
            try_=attempt.detail["attempt"],
            status=reply.status if reply else None,
            raw=_body(reply) if sent and reply else None,
            error=None if sent else attempt.error,
            prompt_hash=question.prompt_hash,
            tokens_in=attempt.tokens_in,
            tokens_out=attempt.tokens_out,
            seconds=attempt.seconds,
            request_id=attempt.request_id,
            **self.facts,
        )
        self.rows.setdefault(attempt.unit_id, []).append(row)
        if attempt.final:
            self.ended.add(attempt.unit_id)

    def final_rows(self) -> list[ShardReply]:
        """Return the rows of the questions that need not be asked again."""
        return [row for number in sorted(self.ended) for row in self.rows[number]]


def _body(reply: EndpointReply) -> str:
    """Return the whole body, also where an attempt would store only its beginning."""
    return json.dumps(reply.value) if reply.length > LONGEST_RAW and reply.value is not None else reply.raw
