"""Read a labeling configuration, as far as a model can answer it: texts, choices, ratings, numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from domain.errors import BadRequestError
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer

LONGEST = 1_000_000
"""Longest configuration, in characters."""
_DEEPEST = 50
_SHOWN = {"Text", "HyperText", "Header", "Paragraphs"}
_OF_EACH = re.compile(r"([^\[\]]+)\[\{\{idx\}\}\]\.(\w+)")


@dataclass(frozen=True)
class Control:
    """One question of a configuration."""

    name: str
    to: str
    kind: str
    """The tag: TextArea, Choices, Rating or Number."""
    prompt: str = ""
    """The text above the control."""
    options: tuple[tuple[str, str], ...] = ()
    """For Choices: pairs of the displayed text and the stored text."""
    options_in: str | None = None
    """For Choices: the key of the data with the options, instead of ``options``."""
    several: bool = False
    low: float | None = None
    high: float | None = None

    def offered(self, data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Return the options for a task."""
        if self.options_in is None:
            return self.options
        entries = data.get(self.options_in)
        choices = []
        for entry in entries if isinstance(entries, list) else ():
            choice = entry if isinstance(entry, dict) else {"value": entry}
            shown, stored = choice.get("value"), choice.get("alias") or choice.get("value")
            if isinstance(shown, str) and isinstance(stored, str):
                choices.append((shown, stored))
        return tuple(choices)

    def asked(self, data: Mapping[str, Any]) -> str:
        """Return the question for a model, for below the content of the task."""
        question = self.prompt or f"What is its {self.name.replace('_', ' ')}?"
        if self.kind == "Choices":
            listed = "\n".join(f"- {shown}" for shown, _ in self.offered(data))
            how = "Reply with all that fit, each on a line of its own." if self.several else "Reply with one of them."
            return f"{question}\n{listed}\n{how}"
        if self.kind == "Rating":
            return f"{question}\nReply with a number from 1 to {self.high:g}."
        if self.kind == "Number":
            return f"{question}\nReply with a number."
        return question

    def result(self, text: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a reply as a result of this control. None if the control cannot hold the reply."""
        value = self._value(text.strip(), data)
        if value is None:
            return None
        kind = self.kind.lower()
        return {"from_name": self.name, "to_name": self.to, "type": kind, "value": value}

    def _value(self, text: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
        if self.kind == "TextArea":
            return {"text": [text.replace("\x00", "\ufffd")]} if text else None  # PostgreSQL stores no zero character
        if self.kind == "Choices":
            options = self.offered(data)
            kind = AnswerKind.MULTI if self.several else AnswerKind.OPTION
            read = read_answer(text, ExpectedAnswer(kind, tuple(shown for shown, _ in options)))
            if read.outcome is not ReadOutcome.READ or not read.places:
                return None
            places = sorted(set(read.places)) if self.several else read.places[:1]
            return {"choices": [options[place][1] for place in places]}
        answer = read_answer(text, ExpectedAnswer(AnswerKind.NUMBER))
        if answer.outcome is not ReadOutcome.READ or not isinstance(answer.value, int | float):
            return None
        amount = float(answer.value)
        if (self.low is not None and amount < self.low) or (self.high is not None and amount > self.high):
            return None
        whole = int(amount) if amount == int(amount) else amount
        if self.kind == "Rating":
            return {"rating": whole} if isinstance(whole, int) else None
        return {"number": whole}


@dataclass(frozen=True)
class Configuration:
    """The elements that a configuration shows, by keys of a task's data, and its questions."""

    texts: tuple[str, ...]
    images: tuple[str, ...]
    controls: tuple[Control, ...]

    def text_of(self, data: Mapping[str, Any]) -> str:
        """Return the text content of a task."""
        texts = []
        for value in (value for key in self.texts for value in _values(key, data)):
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                texts.append(str(value))
        return "\n".join(texts)


def _values(key: str, data: Mapping[str, Any]) -> list[Any]:
    """Return the values of a reference to the data: a key, or a part of each list entry, ``shown[{{idx}}].text``."""
    match = _OF_EACH.fullmatch(key)
    if match is None:
        return [data.get(key)]
    entries = data.get(match[1])
    return [entry.get(match[2]) for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def configuration(xml: str) -> Configuration:
    """Read a labeling configuration. Raise ``BadRequestError`` with a sentence if it is invalid."""
    if len(xml) > LONGEST or "<!" in xml.replace("<!--", ""):
        raise BadRequestError(
            "The labeling configuration is too long or declares entities. Shorten the configuration, or remove "
            "the entities."
        )
    try:
        root = ElementTree.fromstring(xml)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise BadRequestError(f"The labeling configuration is not XML: {error}. Correct the XML.") from None
    reader = _Reader([], [], [])
    reader.read(root, 0)
    return Configuration(
        tuple(dict.fromkeys(reader.texts)), tuple(dict.fromkeys(reader.images)), tuple(reader.controls)
    )


@dataclass
class _Reader:
    texts: list[str]
    images: list[str]
    controls: list[Control]
    above: str = ""

    def read(self, part: ElementTree.Element, depth: int) -> None:
        if depth > _DEEPEST:
            raise BadRequestError("The labeling configuration is nested too deeply. Use fewer levels.")
        value = part.get("value") or part.get("valueList") or ""
        if part.tag == "Image" and value.startswith("$"):
            self.images.append(value[1:])
        elif part.tag in _SHOWN and value.startswith("$"):
            self.texts.append(value[1:])
        elif part.tag == "Header" and value:
            self.above = value
        elif part.tag in ("TextArea", "Choices", "Rating", "Number") and part.get("name"):
            self.controls.append(self._control(part, value))
            self.above = ""
        for child in part:
            self.read(child, depth + 1)

    def _control(self, part: ElementTree.Element, value: str) -> Control:
        low, high = _number(part.get("min")), _number(part.get("max"))
        if part.tag == "Rating":
            low, high = 1.0, _number(part.get("maxRating")) or 5.0
        choices = [choice for choice in part.iter("Choice") if choice.get("value")]
        return Control(
            name=part.get("name") or "",
            to=(part.get("toName") or "").split(",")[0].strip(),
            kind=part.tag,
            prompt=self.above or part.get("placeholder") or "",
            options=tuple(
                (choice.get("value") or "", choice.get("alias") or choice.get("value") or "") for choice in choices
            ),
            options_in=value[1:] if value.startswith("$") and part.tag == "Choices" else None,
            several=part.get("choice", "single-radio").startswith("multiple"),
            low=low,
            high=high,
        )


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def names_of(controls: Sequence[Control]) -> str:
    """Return the names of the controls for a sentence."""
    return ", ".join(control.name for control in controls[:12]) or "none"
