"""How fast an endpoint is asked, worked by hand on a clock of its own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inference.endpoint.limits import Limits, duration, retry_after


def limits(concurrency: int = 8, **more: float) -> Limits:
    return Limits(concurrency, chance=lambda: 1.0, **more)  # type: ignore[arg-type]


def ended(held: Limits, status: int | None = 200, *, now: float = 0.0, begun: float = 0.0, **headers: str) -> None:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    held.end(begun=begun, now=now, status=status, headers=told, asked=1, used=None)


def test_so_many_at_once() -> None:
    held = limits(2)
    assert held.wait(1, 0) == 0
    held.begin(1, 0)
    held.begin(1, 0)
    assert held.wait(1, 0) is None
    ended(held)
    assert held.wait(1, 0) == 0


def test_requests_per_minute() -> None:
    """60 a minute: ten seconds' worth at once, then one a second."""
    held = limits(1000, requests_per_minute=60)
    begun, now = 0, 0.0
    while now <= 60:
        wait = held.wait(1, now)
        assert wait is not None
        if wait == 0:
            held.begin(1, now)
            begun += 1
        now += wait
    assert begun == 10 + 60


def test_tokens_per_minute_are_settled_when_the_real_number_is_known() -> None:
    """6,000 a minute are 100 a second and 1,000 at once."""
    held = limits(8, tokens_per_minute=6000)
    held.begin(1000, 0)
    assert held.wait(500, 0) == pytest.approx(5)
    held.end(begun=0, now=0, status=200, headers={}, asked=1000, used=200)
    assert held.wait(500, 0) == 0
    held.begin(800, 0)
    held.end(begun=0, now=0, status=200, headers={}, asked=800, used=1300)
    assert held.wait(500, 0) == pytest.approx(10), "500 in debt, and 500 more"


def test_what_is_larger_than_ever_fits_goes_out_when_the_bucket_is_full() -> None:
    held = limits(8, tokens_per_minute=6000)
    assert held.wait(50_000, 0) == 0
    held.begin(50_000, 0)
    assert held.wait(1, 0) == 60.0, "490 seconds, of which no pause is longer than a minute"


def test_429_halves_and_success_lets_it_grow_slowly() -> None:
    held = limits(8)
    for now, window in ((1.0, 4), (2.0, 2), (3.0, 1), (4.0, 1)):
        held.begin(1, now - 0.5)
        ended(held, 429, now=now, begun=now - 0.5)
        assert held.window == window
    sizes = []
    for step in range(40):
        held.begin(1, 10.0 + step)
        ended(held, 200, now=10.5 + step, begun=10.0 + step)
        sizes.append(held.window)
    assert sizes == sorted(sizes)
    assert sizes[0] == 2
    assert sizes[1] == 2, "a whole window of successes for one more"
    assert sizes[-1] == 8


def test_a_storm_of_those_that_were_under_way_together_is_one_sign() -> None:
    held = limits(32)
    for _ in range(32):
        held.begin(1, 0)
    for number in range(32):
        ended(held, 429, now=1 + number / 100)
    assert held.window == 16


def test_retry_after_holds_everyone_back_but_no_longer_than_is_allowed() -> None:
    held = limits(8, longest_wait_seconds=20)
    held.begin(1, 0)
    ended(held, 429, now=1, retry_after="7")
    assert held.wait(1, 1) == 7
    assert held.wait(1, 8) == 0
    held.begin(1, 8)
    ended(held, 503, now=8, begun=8, retry_after="3600")
    assert held.wait(1, 8) == 20


def test_headers_tell_the_limits() -> None:
    held = limits(8)
    held.begin(1, 0)
    ended(
        held,
        now=0,
        x_ratelimit_limit_requests="60",
        x_ratelimit_remaining_requests="2",
        x_ratelimit_reset_requests="58s",
    )
    for _ in range(2):
        assert held.wait(1, 0) == 0
        held.begin(1, 0)
    assert held.wait(1, 0) == pytest.approx(1)
    ended(held, now=0, x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="12s")
    assert held.wait(1, 0) == 12


def test_headers_never_loosen_what_the_description_says() -> None:
    held = limits(8, tokens_per_minute=600)
    held.begin(1, 0)
    ended(held, now=0, x_ratelimit_limit_tokens="6000000", x_ratelimit_remaining_tokens="6000000")
    held.begin(100, 0)
    assert held.wait(10, 0) == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("text", ["", "-1", "nan", "inf", "soon", "99999999999999999999 GMT", "Mon, 99 Nov"])
def test_headers_that_make_no_sense_are_nothing(text: str) -> None:
    assert retry_after({"retry-after": text}, 0) is None
    held = limits(8)
    held.begin(1, 0)
    ended(held, now=0, x_ratelimit_limit_requests=text, x_ratelimit_remaining_requests=text)
    assert held.wait(1, 0) == 0


def test_retry_after() -> None:
    wall = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC).timestamp()
    assert retry_after({"retry-after": "2.5"}, wall) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}, wall) == 0.25
    assert retry_after({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, wall) == 30
    assert retry_after({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, wall) == 0
    assert retry_after({}, wall) is None


def test_durations() -> None:
    assert duration("20ms") == pytest.approx(0.02)
    assert duration("1s") == 1
    assert duration("1h2m3.5s") == 3723.5
    assert duration("12") == 12
    assert duration("a minute") is None


def test_pauses_double_up_to_the_longest_and_are_any_part_of_it() -> None:
    held = limits(8, longest_wait_seconds=20)
    assert [held.pause(failures, {}) for failures in range(1, 8)] == [1, 2, 4, 8, 16, 20, 20]
    assert held.pause(100_000, {}) == 20
    none = Limits(8, chance=lambda: 0.0)
    assert none.pause(3, {}) == 0
    half = Limits(8, chance=lambda: 0.5)
    assert half.pause(3, {}) == 2


def test_pauses_are_as_long_as_the_server_asks_for() -> None:
    held = limits(8, longest_wait_seconds=20)
    assert held.pause(1, {"retry-after": "7"}) == 8
    assert held.pause(1, {"retry-after": "3600"}) == 20
