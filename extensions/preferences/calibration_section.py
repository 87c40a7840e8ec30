"""The section of calibration reports about judges that compare two answers, against people who do."""

from __future__ import annotations

from db.engine import Store
from domain.records import Person
from domain.states import Items, Stage
from extensions.preferences import pair_judges
from reports.content import Figure, ReportTable, Section
from reports.words import figure_in_words, first_parts
from workflow.access.projects import require_lead

TITLE = "Judges that compare two answers"


def sections(
    store: Store, *, person: Person | None, project: str, stage: Stage, items: Items | str | None
) -> list[Section]:
    """Return section 13, if the report is about answers and people compare answers.

    Empty if no judge compared pairs that people have compared.
    """
    with store.read() as session:
        stages = require_lead(session, by=person, project=project).schema.stages
    if stage is not Stage.GRADING or stages.comparison is None:
        return []
    judges = pair_judges.next_to_people(store, person=person, project=project, items=items)
    if not judges:
        return []
    told = [
        f"{each.judge} and most people say the same of {figure_in_words(Figure.of(each.same, share=True))} of"
        f" {each.pairs:,} pairs ({each.criterion})"
        for each in judges
    ]
    table = ReportTable(
        "pairs",
        "Judges next to most people, pair by pair",
        (
            *("preference", "judge", "pairs", "the same", "kappa", "the same where both prefer one"),
            *("by position", "without two verdicts", "not asked"),
        ),
        tuple(
            (
                each.criterion,
                each.judge,
                each.pairs,
                Figure.of(each.same, share=True),
                Figure.of(each.kappa),
                Figure.of(each.decided, share=True),
                each.by_place,
                each.without_verdict,
                each.not_asked,
            )
            for each in judges
        ),
        unit="shares of pairs, and Cohen's kappa over a, tie and b; intervals of items drawn anew",
        note="All judges that compare and all people who do are here, whoever is named for this report. Of a pair most "
        "people count, as many for as against is a tie. A judge's two orders that differ are a tie, and counted; pairs "
        "without two verdicts, or that it was not asked about, are left out.",
    )
    return [Section(13, "pairs", TITLE, f"{first_parts(told)}.", (table,))]
