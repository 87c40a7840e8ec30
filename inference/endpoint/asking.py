"""Many requests to one endpoint: limited concurrency, useful retries, and a report of every attempt.

The event loop has a thread of its own. Attempts are reported, and the stop function is called, in the caller's thread.
An attempt is reported before its slot is given to another question, so unsaved answers never pile up.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from domain.english import with_noun
from domain.errors import RunStoppedError
from domain.runs import Attempt, Outcome
from inference.endpoint.budget import Allowance, Budget, cost
from inference.endpoint.client import Client
from inference.endpoint.limits import Limits
from inference.endpoint.replies import LONGEST_RAW, EndpointReply

Messages = Sequence[Mapping[str, Any]]

GRACE_SECONDS = 10.0
"""After a stop, requests that are under way may take so long to end; then they are broken off."""
LOOK_SECONDS = 0.2
"""So often the caller is asked whether to stop."""


class CannotRequest(Exception):
    """A question that cannot be made into a request; the message is a sentence."""


@dataclass(frozen=True)
class Call:
    """One request to send."""

    unit_id: int
    messages: Callable[[], Messages | str]
    """A function that makes the messages when they are sent, since pictures are large. A text is completed as it is.
    May raise ``CannotRequest``.
    """
    parameters: Mapping[str, Any]
    tokens: float
    """The estimated number of tokens in the question."""
    longest: int
    """Tokens of the answer at most."""
    prompt_hash: str = ""
    image_hashes: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Values that are added to every attempt's detail."""
    heard: Callable[[EndpointReply], None] | None = None
    """A callback for every reply, before its attempt is reported. It runs in the loop's thread."""
    reread: Callable[[EndpointReply], EndpointReply] | None = None
    """A function that reads a value other than text from the reply. It runs in the loop's thread."""


class EndpointAsker:
    """Asks an endpoint. Several threads may call ``ask`` and share its limits; ``close`` ends its own thread."""

    def __init__(self, client: Client, *, limits: Limits | None = None, grace_seconds: float = GRACE_SECONDS) -> None:
        endpoint = client.endpoint
        self._client = client
        self._endpoint = endpoint
        self._grace = grace_seconds
        self._budget = Budget(endpoint)
        self._limits = limits or Limits(
            endpoint.concurrency,
            requests_per_minute=endpoint.requests_per_minute,
            tokens_per_minute=endpoint.tokens_per_minute,
            longest_wait_seconds=endpoint.longest_wait_seconds,
            now=time.monotonic(),
        )
        self._in_a_row = 0
        self._changes = _Changes()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="endpoint", daemon=True)
        self._thread.start()

    @property
    def hopeless(self) -> int:
        """Return the number of consecutive unreadable questions that ends a run, each after all its attempts.

        The cause would most likely affect all other questions too.
        """
        return max(10, 2 * self._endpoint.concurrency)

    def spent(self, calls: int, cost: float) -> None:
        """Set the amount that all workers of the run have spent so far. Must not be called while requests are
        running.
        """
        self._budget.spent(calls, cost)

    def once(self, messages: Messages, parameters: Mapping[str, Any], *, seconds: float | None = None) -> EndpointReply:
        """Send one request outside all limits, to find out the abilities of an endpoint."""
        request = self._client.complete(messages, parameters, seconds=seconds)
        return asyncio.run_coroutine_threadsafe(request, self._loop).result()

    def models(self, *, seconds: float | None = None) -> EndpointReply:
        """Request the list of models once."""
        return asyncio.run_coroutine_threadsafe(self._client.models(seconds=seconds), self._loop).result()

    def ask(self, calls: Sequence[Call], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]) -> None:
        """Send all requests; see ``Answerer.answer``.

        Raises
        ------
        RunStoppedError
            The key is wrong, the quota or the budget is used up, or the endpoint is unreachable.
        """
        going = _AskCall(iter(calls), asyncio.Event(), queue.SimpleQueue())
        done = asyncio.run_coroutine_threadsafe(
            self._all(going, min(self._endpoint.concurrency, len(calls))), self._loop
        )
        done.add_done_callback(lambda _: going.ended.put(None))
        looked = -LOOK_SECONDS
        try:
            while True:
                if time.monotonic() - looked >= LOOK_SECONDS and not going.halting:
                    if stop():
                        self._halt(going)
                    looked = time.monotonic()
                try:
                    ended = going.ended.get(timeout=LOOK_SECONDS)
                except queue.Empty:
                    continue
                if ended is None:
                    break
                attempt, receipt = ended
                tell(attempt)
                if receipt.set_running_or_notify_cancel():
                    receipt.set_result(None)
        except BaseException:
            # The caller has failed, so no further attempt can be reported and no question is sent.
            done.cancel()
            with contextlib.suppress(BaseException):
                done.result(GRACE_SECONDS)
            raise
        done.result()
        if going.stopped:
            raise RunStoppedError(going.stopped)

    def close(self) -> None:
        """Close the connections and end the thread."""
        if self._loop.is_closed():
            return
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._client.close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        if not self._thread.is_alive():
            self._loop.close()

    def _halt(self, going: _AskCall) -> None:
        going.halting = True
        self._loop.call_soon_threadsafe(going.halt.set)

    # From here on everything runs in the loop's thread.

    async def _all(self, going: _AskCall, workers: int) -> None:
        tasks = [asyncio.create_task(self._work(going)) for _ in range(workers)]
        halted = asyncio.create_task(going.halt.wait())
        try:
            pending: set[asyncio.Task[Any]] = set(tasks)
            while pending and not going.halt.is_set():
                ended, _ = await asyncio.wait({*pending, halted}, return_when=asyncio.FIRST_COMPLETED)
                pending -= ended
                for task in ended & set(tasks):
                    task.result()
            if pending:
                ended, late = await asyncio.wait(pending, timeout=self._grace)
                going.broken_off = True
                for task in late:
                    task.cancel()
                if late:
                    await asyncio.wait(late)
                for task in pending:
                    if not task.cancelled():
                        task.result()
        finally:
            halted.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, halted, return_exceptions=True)

    async def _work(self, going: _AskCall) -> None:
        for call in going.calls:
            if going.halt.is_set():
                return
            try:
                await self._ask(going, call)
            except _Halt:
                return

    async def _ask(self, going: _AskCall, call: Call) -> None:
        try:
            messages = await asyncio.to_thread(call.messages)
        except CannotRequest as error:
            await _tell_caller(
                going, self._attempt(call, EndpointReply(Outcome.FAILED, error=str(error)), 1, 0.0, final=True)
            )
            return
        waited = 0.0
        for number in range(1, self._endpoint.attempts + 1):
            waited += await self._turn(going, call)
            most = self._budget.most(call.tokens, call.longest)
            begun = time.monotonic()
            self._limits.begin(call.tokens, begun)
            self._budget.begin(most)
            reply: EndpointReply | None = None
            try:
                reply = await self._client.complete(messages, call.parameters)
                reply = call.reread(reply) if call.reread is not None else reply
            except asyncio.CancelledError:
                if not going.broken_off:
                    raise
                reply = EndpointReply(
                    Outcome.TRANSPORT_ERROR,
                    error="The run was stopped before the endpoint replied.",
                    seconds=time.monotonic() - begun,
                )
                await _tell_caller(going, self._attempt(call, reply, number, waited, final=False))
                return
            finally:
                self._settle(call, reply, most, begun)
                self._changes.tell()
            if call.heard is not None:
                call.heard(reply)
            if reply.stop:
                going.stopped = going.stopped or reply.stop
                going.halt.set()
            last = number == self._endpoint.attempts
            final = not reply.stop and (not reply.again or last)
            await _tell_caller(going, self._attempt(call, reply, number, waited, final=final))
            self._count(going, reply, final)
            if final:
                return
            waited = await self._pause(going, self._limits.pause(number, reply.headers, time.time()))

    def _settle(self, call: Call, reply: EndpointReply | None, most: float, begun: float) -> None:
        known = reply is not None and reply.tokens_in is not None and reply.tokens_out is not None
        self._limits.end(
            begun=begun,
            now=time.monotonic(),
            status=reply.status if reply else None,
            headers=reply.headers if reply else {},
            asked=call.tokens,
            used=float((reply.tokens_in or 0) + (reply.tokens_out or 0)) if reply and known else None,
            wall=time.time(),
        )
        really = self._cost(reply) if reply else None
        # A status of 400 and above, or no connection at all, is not charged for.
        free = reply is not None and (reply.status or 0) >= 300
        self._budget.end(most, 0.0 if really is None and free else really)

    def _cost(self, reply: EndpointReply) -> float | None:
        return cost(self._endpoint.price, reply.tokens_in, reply.tokens_out)

    def _count(self, going: _AskCall, reply: EndpointReply, final: bool) -> None:
        # Touchstone never asks again for a paid reply, but unreadable paid replies would use up the other questions.
        is_lost = reply.outcome in (Outcome.UNREADABLE, Outcome.TRANSPORT_ERROR) and (reply.status or 300) < 300
        if not reply.again and not is_lost:
            self._in_a_row = 0
        elif final:
            self._in_a_row += 1
            if self._in_a_row >= self.hopeless:
                often = f", each after {with_noun(self._endpoint.attempts, 'attempt')}" if reply.again else ""
                going.stopped = going.stopped or (
                    f"{self._in_a_row} questions in a row got no answer{often}. The last error: {reply.error} When "
                    "the endpoint responds again, resume the run."
                )
                self._in_a_row = 0
                going.halt.set()

    async def _turn(self, going: _AskCall, call: Call) -> float:
        """Wait until this one may begin; the seconds that it took."""
        begun = time.monotonic()
        most = self._budget.most(call.tokens, call.longest)
        while True:
            if going.halt.is_set():
                raise _Halt
            may = self._budget.may(most)
            if may is Allowance.NO:
                going.stopped = going.stopped or self._budget.why
                going.halt.set()
                raise _Halt
            now = time.monotonic()
            wait = self._limits.wait(call.tokens, now)
            if may is Allowance.YES and wait == 0:
                # Less than a millisecond does not count as a wait.
                return now - begun if now - begun > 0.001 else 0.0
            if may is Allowance.LATER or wait is None:
                await self._changes.next()
            else:
                await self._pause(going, wait)

    async def _pause(self, going: _AskCall, seconds: float) -> float:
        begun = time.monotonic()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(going.halt.wait(), seconds)
        if going.halt.is_set():
            raise _Halt
        return time.monotonic() - begun

    def _attempt(self, call: Call, reply: EndpointReply, number: int, waited: float, *, final: bool) -> Attempt:
        detail: dict[str, Any] = {**call.detail, "attempt": number}
        detail |= apart(reply, self._client.model)
        if reply.raw:
            detail["raw"] = reply.raw
            if reply.length > LONGEST_RAW:
                detail["raw_characters"] = reply.length
        sent = reply.status is not None or reply.outcome is not Outcome.FAILED
        return Attempt(
            unit_id=call.unit_id,
            outcome=reply.outcome,
            text=reply.text,
            final=final,
            finish_reason=reply.finish_reason,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=reply.seconds if sent else None,
            waited=waited,
            status=reply.status,
            error=reply.error,
            request_id=reply.request_id,
            prompt_hash=call.prompt_hash,
            image_hashes=call.image_hashes,
            cost=self._cost(reply),
            detail=detail,
        )


def apart(reply: EndpointReply, model: str) -> dict[str, Any]:
    """Return the values that an attempt stores apart from the answer: the reasoning, and a different model name in the
    reply.
    """
    kept: dict[str, Any] = {}
    if reply.reasoning:
        kept["reasoning"] = reply.reasoning[:LONGEST_RAW]
    if reply.model is not None and reply.model != model:
        kept["model"] = reply.model
    return kept


class _Halt(Exception):
    """No further request may be sent."""


@dataclass
class _AskCall:
    """One running call of ``ask``."""

    calls: Iterator[Call]
    halt: asyncio.Event
    ended: queue.SimpleQueue[tuple[Attempt, Future[None]] | None]
    halting: bool = False
    broken_off: bool = False
    stopped: str = ""


class _Changes:
    """The ends of requests, for questions that wait for one."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def tell(self) -> None:
        """Wake up all waiters, because a request has ended."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def next(self) -> None:
        """Wait until a request has ended. At least one must be running."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future


async def _tell_caller(going: _AskCall, attempt: Attempt) -> None:
    """Wait until the caller has taken the attempt."""
    receipt: Future[None] = Future()
    going.ended.put((attempt, receipt))
    await asyncio.wrap_future(receipt)
