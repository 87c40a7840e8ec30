"""Build a calibration report as parts of a page and as files. A job builds it in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from app import addresses
from db.engine import Store
from domain.item_filter import AnswerFilter
from domain.rated_units import BETWEEN
from domain.states import Cut, Items, Stage
from exporters import zip_file
from extensions.calibration import project_study
from workflow.access.counted_items import counting_of
from workflow.results.ratings import raters_called, raters_of

if TYPE_CHECKING:
    from reports.content import Block, Paragraph, UnitSelection


def files_of(
    store: Store,
    *,
    project: str,
    stage: Stage,
    people: Sequence[str],
    judges: Sequence[str],
    pool: bool,
    items: Items | None,
    by: Cut,
    statistics: Sequence[str] | None,
    titles: Mapping[str, str],
    families: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the report as parts of a page (HTML and charts), and its files in a zip.

    The caller checks that the person may see the report.

    Parameters
    ----------
    titles
        The titles of dimensions, by id.
    families
        The models of each judge's own family, by judge.
    """
    from extensions.calibration.report import files, report_html, short_answer, standing
    from extensions.calibration.report.calibration import calibration

    raters = raters_of(store, person=None, project=project, stage=stage)
    study, source = project_study.study_of(
        store,
        person=None,
        project=project,
        stage=stage,
        humans=people,
        judges=judges,
        vouched=[name for name in people if name in raters.from_files],
        pool_guidelines=pool,
        items=items,
        by=by,
        statistics=statistics,
        families={judge: models for judge, models in (families or {}).items() if models},
    )

    called = raters_called(store, raters)
    study, logins = project_study.with_names(study, called), {name: login for login, name in called.items()}
    if by is Cut.DIMENSION:
        study = project_study.with_titles(study, titles)
    ids = {title: id for id, title in titles.items()} if by is Cut.DIMENSION else {}
    counting = counting_of(store, person=None, project=project, items_=items, stage=stage)
    among = counting.which if counting.verdicts else None

    def where(behind: UnitSelection) -> str:
        if behind.unit is not None:
            of_answer = stage is Stage.GRADING and BETWEEN in behind.unit
            return addresses.item(project, behind.unit.rpartition(BETWEEN)[0] if of_answer else behind.unit)
        answer_filter = AnswerFilter(
            [logins.get(name, name) for name in behind.raters], behind.criterion, behind.values
        )
        part = ids.get(behind.dimension, behind.dimension) if behind.dimension else None
        dimension, group = addresses.dimension_or_group(by, part)
        return addresses.items(
            project, differ=stage.value, said=answer_filter, dimension=dimension, group=group, among=among
        )

    made = calibration(study, source, cross_checked=True)
    return {
        "name": f"{project}-{stage.value}-calibration.zip",
        "zip": zip_file.pack(dict(files.contents(made))),
        "answers": short_answer.judge_answers(made),
        "charts": [(chart, [where(row.behind) for row in chart.rows]) for chart in short_answer.charts(made)],
        "first": standing.first_screen(made),
        "errors": [block.words for block in made.section("cross_check").blocks if _is_error(block)],
        "about": report_html.footer(made),
        "sections": [
            (section.key, f"{section.number}. {section.title}", report_html.section_parts(section, where))
            for section in made.sections
        ],
    }


def _is_error(block: Block) -> TypeGuard[Paragraph]:
    """Tell whether a block reports a difference from another package."""
    from reports.content import Paragraph

    return isinstance(block, Paragraph) and block.tone == "warning"
