"""The section of an open item on the page *Items*: its votes with reasons, and what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotation_schemas.answer_words import option_label, reason_label
from annotation_schemas.model import Stages
from app import markup, shell
from app.services import Services
from app.widgets import field_values
from domain.records import ProjectView
from domain.states import VERIFICATIONS, Purpose, Stage
from extensions.history import full_record, item_history
from extensions.history.records import AnswerView
from workflow.annotate.adjudication import DECISIONS

By = Callable[[str | None], markup.Markup]


def draw(services: Services, view: ProjectView, item: str) -> None:
    """Draw the votes and the newest events of an item, with a link to its full record."""
    found = item_history.history(services.store, person=services.person, project=view.name, item=item)
    by = shell.named(services, [row.by for rows in (found.answers, found.steps) for row in rows])
    stages = view.schema.schema_.stages
    votes = [
        row for row in found.answers if row.counts and row.purpose is Purpose.LIVE and row.stage is not Stage.AUTHORING
    ]
    shell.section("Votes" if all(row.stage in VERIFICATIONS for row in votes) else "Answers")
    if votes:
        rows = [line for row in votes for line in _vote(stages, row, by)]
        shell.show(markup.tag("div", *rows, style="ts ts-small", data_part="votes"))
    else:
        shell.show(markup.paragraph("Nobody has answered yet.", style="ts ts-small ts-quiet"))
    shell.section("History")
    steps = [
        markup.tag("li", markup.quiet(f"{row.at:%d %b} "), by(row.by), markup.text(f" {row.words}"))
        for row in found.steps
        if row.kind not in item_history.ROUTINE
    ]
    shell.show(markup.tag("ol", *steps, style="ts ts-small ts-steps", data_part="steps"))
    full_record.offer(services, view, item)


def _decision_labels(stages: Stages) -> dict[str, str]:
    """Return the labels of a senior's decisions and reasons, by the stored value."""
    listed = stages.adjudication.reasons if stages.adjudication is not None else ()
    return {decision: decision.capitalize() for decision in DECISIONS} | {str(row.value): row.label for row in listed}


def _vote(stages: Stages, row: AnswerView, by: By) -> Iterator[markup.Markup]:
    """Yield the line of an answer, and a line for each reason and note."""
    criteria = getattr(getattr(stages, row.stage), "criteria", ())
    known = {criterion.name: criterion for criterion in criteria}
    keep = getattr(getattr(stages, row.stage), "keep", None)
    decided = _decision_labels(stages) if row.stage is Stage.ADJUDICATION else {}
    chips = []
    for name, value in row.values.items():
        label = option_label(known[name], value, {}) if name in known else decided.get(str(value))
        style = "ts-chip"
        if keep is not None and keep.criterion == name and keep.value is not None and value is not None:
            style += " done" if value == keep.value else " blocking"
        chips.append(markup.tag("span", markup.text(label or field_values.in_words(value)), style=style))
    stage = "" if row.stage is Stage.VERIFICATION else f" · {stages.title_of(row.stage)}"
    about = markup.quiet(f"{stage}{' · ' + row.about if row.about else ''} · {row.at:%d %b}")
    yield markup.tag("div", markup.joined([by(row.by), *chips], " "), about, style="ts-vote")
    for name, reason in row.reasons.items():
        if reason:
            yield markup.tag("div", markup.quiet(f"“{reason_label(criteria, name, reason)}”"))
    if row.note:
        yield markup.tag("div", markup.quiet(f"“{row.note}”"))
