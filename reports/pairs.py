"""Section 13: judges that compare two answers, against people who do. Only for studies with both."""

from __future__ import annotations

from reports.content import Figure, ReportTable, Section
from reports.study import Study
from reports.words import figure_in_words, first_parts

TITLE = "Judges that compare two answers"


def pairs(study: Study) -> list[Section]:
    """Return section 13. Empty if no judge compared pairs that people have compared."""
    if not study.pairs:
        return []
    told = [
        f"{each.judge} and most people say the same of {figure_in_words(Figure.of(each.same, share=True))} of"
        f" {each.pairs:,} pairs ({each.criterion})"
        for each in study.pairs
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
            for each in study.pairs
        ),
        unit="shares of pairs, and Cohen's kappa over a, tie and b; intervals of items drawn anew",
        note="All judges that compare and all people who do are here, whoever is named for this report. Of a pair most "
        "people count, as many for as against is a tie. A judge's two orders that differ are a tie, and counted; pairs "
        "without two verdicts, or that it was not asked about, are left out.",
    )
    return [Section(13, "pairs", TITLE, f"{first_parts(told)}.", (table,))]
