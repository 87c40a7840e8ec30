"""The state of a qualification attempt, computed from the answers, the reviews and the policy alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from domain.language import _
from domain.qualification import Standing


@dataclass(frozen=True)
class Review:
    """A senior's review of an attempt."""

    reviewer: str
    signs: bool
    at: datetime


def standing(
    *, n_items: int, n_answered: int, n_right: int, pass_mark: float, reviewers: int, reviews: Sequence[Review]
) -> Standing:
    """Return the state of an attempt. A reviewer's newest review counts; a review that sends back decides at once."""
    if n_answered < n_items or not n_items:
        return Standing.OPEN
    newest = {review.reviewer: review for review in sorted(reviews, key=lambda review: review.at)}
    if any(not review.signs for review in newest.values()):
        return Standing.SENT_BACK
    if len(newest) < reviewers:
        return Standing.HANDED_IN
    return Standing.PASSED if n_right >= pass_mark * n_items - 1e-9 else Standing.FAILED


def may_try_again(*, tries: int, attempts: int | None, ended: datetime, wait: timedelta, now: datetime) -> str | None:
    """Return the reason why a person whose last attempt failed cannot start another one yet, or None."""
    if attempts is not None and tries >= attempts:
        return _("You have used {n} of {of} tries. Ask a project lead for another try.").format(n=tries, of=attempts)
    if now < ended + wait:
        moment = (ended + wait).strftime("%Y-%m-%d %H:%M")
        return _("You can try again after {moment} UTC.").format(moment=moment)
    return None
