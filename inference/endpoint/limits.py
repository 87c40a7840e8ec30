"""The rate limits of an endpoint: concurrency, requests and tokens per minute, and slowing down on request.

This module never waits and never reads a clock. The caller gives the time, and gets the seconds to wait.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_PAUSE = 1.0
"""The longest pause after a first failure, in seconds; it doubles with every further one."""
ALL_AT_ONCE = 10.0
"""The seconds' worth of a limit per minute that may be used at once."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")


class Bucket:
    """A token bucket: an amount per minute, a part of it at once. Taking more than is available leaves a debt, which
    time pays.
    """

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._own = per_minute
        self._rate = per_minute
        self._level = self._most
        self._at = now
        self._shut_until = -math.inf

    @property
    def per_minute(self) -> float | None:
        """The limit per minute; None for no limit."""
        return self._rate

    @property
    def _most(self) -> float:
        return math.inf if self._rate is None else max(1.0, self._rate * ALL_AT_ONCE / 60)

    def wait(self, amount: float, now: float) -> float:
        """Return the seconds until ``amount`` may be taken. An amount above the capacity may be taken from a full
        bucket.
        """
        self._fill(now)
        shut = max(0.0, self._shut_until - now)
        if self._rate is None:
            return shut
        missing = min(amount, self._most) - self._level
        return max(shut, missing * 60 / self._rate if missing > 1e-9 else 0.0)

    def take(self, amount: float, now: float) -> None:
        """Take it; give back with a negative amount."""
        self._fill(now)
        self._level = min(self._most, self._level - amount)

    def told(self, *, limit: float | None, left: float | None, reset: float | None, now: float) -> None:
        """Update the limit, the remaining amount and the time of its reset from a reply."""
        self._fill(now)
        if limit is not None and limit > 0:
            rate = limit if self._own is None else min(limit, self._own)
            if rate != self._rate:
                first = self._rate is None
                self._rate = rate
                self._level = self._most if first else min(self._level, self._most)
        if left is not None and self._rate is not None:
            self._level = min(self._level, left)
        if left is not None and left < 1 and reset is not None:
            self._shut_until = max(self._shut_until, now + reset)

    def _fill(self, now: float) -> None:
        if self._rate is not None:
            self._level = min(self._most, self._level + max(0.0, now - self._at) * self._rate / 60)
        self._at = max(self._at, now)


class Limits:
    """The number of requests that may run, and the moment when the next one may start."""

    def __init__(
        self,
        concurrency: int,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        longest_wait_seconds: float = 60.0,
        now: float = 0.0,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._most = concurrency
        self._window = float(concurrency)
        self._requests = Bucket(requests_per_minute, now)
        self._tokens = Bucket(tokens_per_minute, now)
        self._longest = longest_wait_seconds
        self._chance = chance
        self._quiet_until = -math.inf
        self._halved_at = -math.inf
        self._under_way = 0

    @property
    def window(self) -> int:
        """Return the number of requests that may run now."""
        return max(1, int(self._window))

    @property
    def under_way(self) -> int:
        """So many are."""
        return self._under_way

    def wait(self, tokens: float, now: float) -> float | None:
        """Return the seconds until a request with this number of tokens may start. 0 means now, and None after the next
        end of a running request.
        """
        if self._under_way >= self.window:
            return None
        waits = (self._quiet_until - now, self._requests.wait(1, now), self._tokens.wait(tokens, now))
        return min(self._longest, max(0.0, *waits))

    def begin(self, tokens: float, now: float) -> None:
        """Record the start of a request."""
        self._under_way += 1
        self._requests.take(1, now)
        self._tokens.take(tokens, now)

    def end(
        self,
        *,
        begun: float,
        now: float,
        status: int | None,
        headers: Mapping[str, str],
        asked: float,
        used: float | None,
        wall: float = 0.0,
    ) -> None:
        """Record the end of a request.

        Parameters
        ----------
        begun
            The moment when the request started.
        headers
            The headers of the reply, with names in lower case.
        asked
            The tokens that were estimated at the start.
        used
            The tokens that were really used; None if unknown.
        wall
            Seconds since 1970, to read dates in headers.
        """
        self._under_way -= 1
        if used is not None:
            self._tokens.take(used - asked, now)
        for bucket, name in ((self._requests, "requests"), (self._tokens, "tokens")):
            bucket.told(
                limit=_number(headers.get(f"x-ratelimit-limit-{name}")),
                left=_number(headers.get(f"x-ratelimit-remaining-{name}")),
                reset=duration(headers.get(f"x-ratelimit-reset-{name}")),
                now=now,
            )
        if status == 429:
            # Several that were under way together are one sign, not several.
            if begun >= self._halved_at:
                self._window = max(1.0, self._window / 2)
                self._halved_at = now
        elif status is not None and status < 400:
            self._window = min(float(self._most), self._window + 1 / self._window)
        if status in (429, 503):
            asked_for = retry_after(headers, wall)
            if asked_for is not None:
                self._quiet_until = max(self._quiet_until, now + min(asked_for, self._longest))

    def pause(self, failures: int, headers: Mapping[str, str], wall: float = 0.0) -> float:
        """Return the seconds to wait after this number of consecutive failures of one question.

        The wait is random, and its upper limit doubles with each failure. If the server asks for a time, the wait is
        that time and a little more, so that clients do not all return at once.
        """
        asked_for = retry_after(headers, wall)
        # Capped before doubling so that a long row of failures does not run out of numbers.
        most = min(self._longest, FIRST_PAUSE * 2.0 ** min(failures - 1, 30))
        if asked_for is None:
            return most * self._chance()
        return min(self._longest, asked_for + min(1.0, most) * self._chance())


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """Return the seconds that a reply asks to wait, from a number or a date; None if it asks for no wait.

    >>> retry_after({"retry-after": "7"}, 0)
    7.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(wall, UTC)).total_seconds())


def duration(text: str | None) -> float | None:
    """Return the seconds in a header's text: ``20ms``, ``1s``, ``6m0s``, or a bare number.

    >>> duration("6m0s")
    360.0
    """
    if not text:
        return None
    bare = _number(text)
    if bare is not None:
        return bare
    parts = _DURATION.findall(text.strip())
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return float(sum(float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit] for number, unit in parts))


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) and number >= 0 else None
