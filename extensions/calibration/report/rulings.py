"""Verdicts on judges in a report, and their box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import ClassVar, Literal

from domain.english import with_noun
from reports.content import HtmlBlock

Verdict = Literal["replace", "limited", "correct", "no", "people", "open"]


@dataclass(frozen=True)
class Ruling:
    """The verdict on one judge for one criterion (and dimension), with its reasons."""

    judge: str
    criterion: str
    dimension: str | None
    verdict: Verdict
    words: str
    why: tuple[str, ...]
    """Sentences. The first one names unread replies or a bias, if these limit the verdict."""
    answers: int = 0
    """Number of units that people and the judge share."""
    questions: int | None = None
    """Number of questions (items) behind these units. None: unknown."""
    copies: tuple[str, ...] = ()
    """Judges that are near-copies of this one, and count as one judge together with it."""
    bias: str = ""
    """The sentence about a bias that limits the verdict, one of ``why``. Empty without such a bias."""
    unread: str = ""
    """The sentence about unread replies that limit the verdict, the first of ``why``. Empty without a limit."""

    @property
    def about(self) -> str:
        """Return one line that names the judge, its near-copies, and the subject of the verdict."""
        return " · ".join(filter(None, (" = ".join((self.judge, *self.copies)), self.criterion, self.dimension)))

    @property
    def sentence(self) -> str:
        """Return the verdict, with the unread replies and the bias that limit it.

        >>> Ruling("a", "score", None, "limited", "Not to rank", (), bias="Do not rank models with it.").sentence
        'Not to rank. Do not rank models with it.'
        """
        limits = " ".join(filter(None, (self.unread, self.bias)))
        return f"{self.words}. {limits}" if limits else self.words

    @property
    def counted(self) -> str:
        """Return the number of questions and answers behind the verdict.

        >>> Ruling("a", "score", None, "replace", "", (), 1800, 300).counted
        '300 questions, 1,800 answers'
        """
        if not self.answers:
            return ""
        if self.questions is None:
            return f"{with_noun(self.answers, 'unit')}; their questions are unknown"
        return f"{with_noun(self.questions, 'question')}, {with_noun(self.answers, 'answer')}"


@dataclass(frozen=True)
class Rulings(HtmlBlock):
    """The box with the verdicts."""

    json_type: ClassVar[str] = "rulings"

    rule: tuple[str, ...]
    """The rule, in sentences."""
    rulings: tuple[Ruling, ...]
    when: str = "The default rule, which was not set beforehand"
    """When the rule was set, as a heading."""

    def html(self) -> Iterator[str]:
        """Yield the box with the verdicts."""
        yield '<div class="rulings">'
        for verdict in self.rulings:
            yield ruling(verdict)
        yield f"</div>{details(self)}"


def details(found: Rulings, *, opened: bool = True) -> str:
    """Return the rule of the verdicts, folded below the sentence that says when the rule was set."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in found.rule)
    shown = " open" if opened else ""
    return f'<details class="rule"{shown}><summary>{escape(found.when)}</summary><ul>{lines}</ul></details>'


def ruling(each: Ruling) -> str:
    """Return one verdict."""
    about = " · ".join(filter(None, (each.about, each.counted)))
    why = "".join(f"<li>{escape(line)}</li>" for line in each.why)
    return f'<div class="ruling {each.verdict}"><b>{escape(each.words)}</b>{escape(about)}<ul>{why}</ul></div>'
