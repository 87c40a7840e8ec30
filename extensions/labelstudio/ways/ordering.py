"""Orderings in Label Studio: a list to sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from domain.comparison import same
from extensions.labelstudio.codes import list_of, rank_codes
from extensions.labelstudio.form import key_of
from extensions.labelstudio.parts import Answer, Context, FormPart, LabelStudioKind, Result, SortedResult, result_of


class LabelStudioOrder(LabelStudioKind):
    """A list to sort."""

    result_type = "ranker"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        ranking = given.one(part.name)
        if isinstance(ranking, Mapping):
            lists = [bucket for bucket in ranking.values() if bucket != []]
            ranking = lists[0] if len(lists) == 1 else (None if not lists else ranking)
        if ranking is None:
            return None
        if not isinstance(ranking, list | tuple) or not all(isinstance(code, str) for code in ranking):
            given.say(part, "The order must be one list of text values.")
            return None
        options = part.options(context.texts)
        option_codes = rank_codes(options, own=part.own)
        placed = []
        for code in ranking:
            option = given.option(part, code, options, option_codes)
            if option is None:
                return None
            placed.append(option.value)
        return placed, None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        options = part.options(context.texts)
        left = list(zip(rank_codes(options, own=part.own), options, strict=True))
        ids = []
        for ranked in value:
            at = next((at for at, (_, option) in enumerate(left) if same(option.value, ranked)), None)
            if at is not None:
                ids.append(left.pop(at)[0])
        return [result_of(part.name, list_of(part.name), "ranker", {"ranker": {part.name: ids}})]

    def ask(self, parent: Element, part: FormPart) -> None:
        SubElement(
            parent,
            "List",
            name=list_of(part.name),
            value=f"${key_of('list', part.name)}",
            title="First to last",
        )
        SubElement(parent, "Ranker", name=part.name, toName=list_of(part.name))
