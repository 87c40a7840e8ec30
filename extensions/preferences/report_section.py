"""Section 13 of the calibration report: judges that compare two answers, against people who do."""

from __future__ import annotations

from collections.abc import Sequence

from db.engine import Store
from domain.english import with_noun
from domain.records import Person
from domain.states import Items, Stage
from extensions.preferences.judges_of_pairs import JudgeOfPairs, next_to_people
from reports.content import Figure, ReportTable, Section
from reports.words import figure_in_words, first_parts
from workflow.access.projects import require_lead

KEY = "pairs"
TITLE = "Judges that compare two answers"


def pairs_section(
    store: Store, *, person: Person | None, project: str, stage: Stage, items: Items | str | None
) -> Section | None:
    """Return section 13 of a report on grades; None if no judge compared pairs that people have compared."""
    if stage is not Stage.GRADING:
        return None
    with store.read() as session:
        if require_lead(session, by=person, project=project).schema.stages.comparison is None:
            return None
    judges = next_to_people(store, person=person, project=project, items=items)
    return section_of(judges) if judges else None


def section_of(judges: Sequence[JudgeOfPairs]) -> Section:
    """Return the section about these judges."""
    sentences = [
        f"{judge.judge} and most people agree on {figure_in_words(Figure.of(judge.same, share=True))} of "
        f"{with_noun(judge.pairs, 'pair')} ({judge.criterion})"
        for judge in judges
    ]
    table = ReportTable(
        "pairs",
        "Judges compared with the majority, pair by pair",
        (
            *("preference", "judge", "pairs", "the same", "kappa", "agreement without ties"),
            *("by position", "without two verdicts", "not asked"),
        ),
        tuple(
            (
                judge.criterion,
                judge.judge,
                judge.pairs,
                Figure.of(judge.same, share=True),
                Figure.of(judge.kappa),
                Figure.of(judge.decided, share=True),
                judge.by_place,
                judge.without_verdict,
                judge.not_asked,
            )
            for judge in judges
        ),
        unit="shares of pairs, and Cohen's kappa over the categories a, tie and b; intervals from resampled items",
        note="This section covers all judges and people who compare answers, not only the raters of this report. "
        "The majority of people decides each pair, and an equal split is a tie. If a judge's verdicts in the "
        "two orders differ, the pair counts as a tie. The table excludes pairs without two verdicts and pairs "
        "that the judge did not receive.",
    )
    return Section(13, KEY, TITLE, f"{first_parts(sentences)}.", (table,))
