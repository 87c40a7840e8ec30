"""Import proposals from an uploaded file: preview the result, then give the proposals to images."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.reruns import messages, session_values
from app.services import Services
from domain.records import ProjectView
from extensions.drafting.arms import Arm
from extensions.drafting.offered_file import offered_file, sentences
from extensions.drafting.proposal_import import (
    ImportResult,
    OfferedFile,
    OfferedProposal,
    import_proposals,
    look_at_proposals,
)
from workflow.files import uploads

_ROUND, _LOOKED, _DONE = "drafting.round", "drafting.looked", "drafting.done"
SHOWN, SOME, LONGEST = 50, 3, 300
"""The numbers of refused proposals and of proposals that the page lists; the maximum length of a shown field."""


@dataclass(frozen=True)
class _Preview:
    """The result that these files would have with these settings."""

    of: tuple[Any, ...]
    taken: ImportResult
    some: tuple[OfferedProposal, ...]


def draw(services: Services, view: ProjectView, *, first: bool) -> None:
    """Draw the file boxes, the preview and the button that imports. ``first``: the project has no proposals yet."""
    if done := messages.kept_message(_DONE):
        shell.show(*(markup.notice(words, style="good" if at == 0 else "") for at, words in enumerate(done)))
    at = session_values.place().get(_ROUND, 0)
    with st.expander("Import proposals", expanded=first, key=f"drafting.new.{at}"):
        left, right = st.columns(2, gap="large")
        file = left.file_uploader(
            "Proposals: original or edited file from touchstone proposal create",
            type=["json"],
            key=f"drafting.file.{at}",
        )
        made = right.file_uploader(
            "Settings: .made.json file from the same folder (optional)", type=["json"], key=f"drafting.made.{at}"
        )
        one, two, button = st.columns([4, 3, 3], vertical_alignment="bottom")
        share = one.number_input("Share of proposals to show", 0.01, 1.0, 0.5, 0.05, key="drafting.share")
        seed = two.number_input(
            "Seed", value=None, step=1, key="drafting.seed", placeholder="the project's own"
        )  # fmt: skip
        asked = (file, made, share, seed)
        look = partial(_look, services, view, *asked)
        shell.does(button, "Preview", services, look, key="drafting.look", width="stretch", disabled=file is None)
        looked: _Preview | None = session_values.place().get(_LOOKED)
        if file is not None and looked is not None and looked.of == _of(view, *asked):
            _show(looked)
            n = sum(looked.taken.arms.values())
            label, give = f"Add these proposals to {markup.count(n, 'image')}", partial(_give, services, view, *asked)
            shell.does(st, label, services, give, key="drafting.give", type="primary", disabled=not n)


def _of(view: ProjectView, file: Any, made: Any, share: float, seed: int | None) -> tuple[Any, ...]:
    return view.name, file.file_id, made.file_id if made is not None else None, share, seed


def _look(services: Services, view: ProjectView, file: Any, made: Any, share: float, seed: int | None) -> None:
    session_values.place().pop(_LOOKED, None)
    offered = _offered(view, file, made)
    taken = look_at_proposals(
        services.store, by=services.person, project=view.name, file=offered, share=share, seed=seed
    )
    refused = {name for name, _ in taken.refused}
    some = [proposal for proposal in offered.proposals if proposal.name not in refused][:SOME]
    session_values.place()[_LOOKED] = _Preview(_of(view, file, made, share, seed), taken, tuple(some))


def _give(services: Services, view: ProjectView, file: Any, made: Any, share: float, seed: int | None) -> None:
    offered = _offered(view, file, made)
    taken = import_proposals(
        services.store, by=services.person, project=view.name, file=offered, share=share, seed=seed
    )
    messages.keep(_DONE, _said(taken))
    session_values.place().pop(_LOOKED, None)
    session_values.place()[_ROUND] = session_values.place().get(_ROUND, 0) + 1


def _offered(view: ProjectView, file: Any, made: Any) -> OfferedFile:
    with tempfile.TemporaryDirectory(prefix="touchstone-proposals-") as folder:
        places = [Path(folder, name) for name in ("proposals", "made")]
        for place in places:
            place.mkdir()
        there = [
            uploads.copied(upload, at) for upload, at in zip((file, made), places, strict=True) if upload is not None
        ]
        return offered_file(there[0], project=view.name, made=there[1] if len(there) > 1 else None)


def _said(taken: ImportResult) -> list[str]:
    lines = list(sentences(taken))
    if taken.refused:
        n = len(taken.refused)
        lines.append(f"{markup.count(n, 'proposal')} rejected. First rejected proposal: {': '.join(taken.refused[0])}")
    return lines


# ---- what it would come to ------------------------------------------------------------------------------------------


def _show(looked: _Preview) -> None:
    taken = looked.taken
    first, *others = _said(taken)
    shell.show(markup.tag("div", markup.notice(f"This gives {first}"), data_part="look"))
    shell.show(*(markup.paragraph(words, style="ts") for words in others))
    if taken.dimensions:
        shell.show(markup.tag("div", _dimensions(taken.dimensions), data_part="dimensions"))
    if looked.some:
        rows = [
            [markup.text(proposal.name), markup.text(proposal.dimension), _fields(proposal.fields)]
            for proposal in looked.some
        ]
        heads = [("Image", ""), ("Dimension", ""), ("First proposals in file", "wide")]
        shell.show(markup.tag("div", markup.table(heads, rows), data_part="proposals"))
    if taken.refused:
        rows = [[markup.text(name), markup.text(why)] for name, why in taken.refused[:SHOWN]]
        shell.show(markup.tag("div", markup.table([("Refused", ""), ("Why", "wide")], rows), data_part="refused"))
        if (more := len(taken.refused) - SHOWN) > 0:
            st.caption(f"and {more:,} more")


def _dimensions(found: Mapping[str, Mapping[Arm, int]]) -> markup.Markup:
    heads = [("Dimension", ""), ("Shown to the author", "number"), ("Not shown", "number")]
    return markup.table(
        heads, [[markup.text(name), *(markup.number(n[arm]) for arm in Arm)] for name, n in found.items()]
    )


def _fields(fields: Mapping[str, Any]) -> markup.Markup:
    lines = []
    for name, value in fields.items():
        text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
        cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        lines.append(markup.tag("div", markup.quiet(f"{name}: "), markup.text(cut)))
    return markup.joined(lines)
