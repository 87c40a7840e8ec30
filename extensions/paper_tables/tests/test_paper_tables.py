"""A paper's tables from a project's numbers: every key of a layout changes what is printed; all numbers by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agreement.statistic import Statistic, undefined
from annotation_schemas import shipped as schemas
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from domain import extensions
from domain.errors import InvalidInputError, NotFoundError, SchemaError
from domain.states import RatersAre, Stage
from extensions.paper_tables import table_files
from extensions.paper_tables.paper_tables import NOTHING, PaperTable, paper_tables, printed
from extensions.paper_tables.table_layouts import TableLayout, parse_layout, read_layout, shipped
from extensions.paper_tables.table_places import Head
from testkit.coded_world import CODING, answer, code
from testkit.coded_world import schema as coded
from testkit.factories import BLIND, make_items, make_people, make_project
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from tests.paths import ROOT
from workflow.results import leaderboard, project_answers
from workflow.results.dimension_means import PEOPLE, agreement_of_answers
from workflow.results.ratings_from_files import import_ratings
from workflow.results.score_choices import Scores

pytestmark = needs("readers", "ratings")

SCHEMA = """
name: small
version: 1
title: Small
dimensions:
  - {id: colour, title: Colour, group: Looks, definition: "x."}
  - {id: shape, title: Shape, group: Looks, definition: "x."}
  - {id: use, title: Use, group: Sense, definition: "x."}
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options, secret_in: [grading]}
    - {name: origin, kind: text, required: false, authored: false, secret_in: [grading]}
stages:
  authoring: {}
  grading:
    raters: 2
    combine: mean
    criteria:
      - {name: score, kind: scale, prompt: "?", values: [0, 0.5, 1]}
      - {name: clear, kind: scale, prompt: "?", values: [0, 1]}
judges:
  - {name: big, model: big-1, criteria: [score], template: egothink_single, sees: [question, answer, prediction],
     fills: {ref_answer_1: answer, answer: prediction}, values: [0, 0.5, 1]}
models: {strategy: generate, prompts: plain}
"""

# What each model says to the items of a dimension: r is right. Two items in colour, two in shape, one in use.
SAYS = {"good": {"colour": "rr", "shape": "rw", "use": "r"}, "poor": {"colour": "rw", "shape": "ww", "use": "w"}}
# People (ann, ben) and judges on the answers to the items of colour, and of shape.
GRADED: dict[str, dict[str, list[float]]] = {
    "ann": {"good": [1, 1, 0.5, 0]},
    "ben": {"good": [1, 0.5, 0.5, 0]},
    "big-1": {"good": [1, 1, 1, 0, 0.5], "poor": [0.5, 0, 0, 0]},
    "odd": {"good": [0, 0.5, 0, 1]},
}


@pytest.fixture(scope="module")
def small(sqlite_store_for_module: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = sqlite_store_for_module
    make_project(store, loaded=load_text(SCHEMA, "Be exact.", "small"))
    path = tmp_path_factory.mktemp("files")
    names: list[str] = []
    for dimension, n in (("colour", 2), ("shape", 2), ("use", 1)):
        names += [f"{dimension}/{len(names) + at}" for at in range(n)]
        ids = make_items(store, n, dimension=dimension)
        for model, says in SAYS.items():
            lot = says[dimension]
            answer(store, ids, model, lambda at, lot=lot: {"r": "red", "w": "blue"}[lot[at]])  # type: ignore[misc]
    rows = [
        (item, model, who, value)
        for who, said in GRADED.items()
        for model, values in said.items()
        for item, value in zip(names, values, strict=False)
    ]
    people = {"ann", "ben"}
    bring_in(store, path, [row for row in rows if row[2] in people], raters=RatersAre.PEOPLE)
    bring_in(store, path, [row for row in rows if row[2] not in people])
    clear = [(item, "good", "ann", int(at > 0)) for at, item in enumerate(names[:3])]
    bring_in(store, path, [*clear, *((item, "good", "odd", 1) for item in names[:4])], criterion="clear")
    return store


def bring_in(
    store: Store,
    folder: Path,
    rows: Sequence[tuple[str, str, str, object]],
    *,
    criterion: str = "score",
    project: str = "p",
    raters: RatersAre | None = None,
) -> None:
    path = folder / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out)
        written.writerow(["unit", "rater", "criterion", "value"])
        written.writerows([f"{item} · {model}", who, criterion, value] for item, model, who, value in rows)
    import_ratings(store, by=None, project=project, path=path, refuse=lambda bad: None, raters=raters)


def layout(text: str) -> Sequence[TableLayout]:
    return parse_layout(f"tables:\n  - {{name: t, title: T, {text}}}", file="layout.yaml")


def made(store: Store, text: str) -> PaperTable:
    (table,) = paper_tables(store, person=None, project="p", layout=layout(text)).tables
    return table


def shown(store: Store, text: str) -> list[list[str]]:
    """A table as rows of words: heads first, each with its group before a colon."""
    table = made(store, text)
    assert table.why == ""
    heads = [f"{each.group}: {each.title}" if each.group else each.title for each in table.columns]
    rows = [
        [
            f"{row.head.group}: {row.head.title}" if row.head.group else row.head.title,
            *(cell.shown for cell in row.cells),
        ]
        for row in table.rows
    ]
    return [[table.corner, *heads], *rows]


MODELS = "rows: [{each: [model]}]"


def test_scores_against_the_key_by_dimension_and_over_what_the_mean_is(small: Store) -> None:
    found = shown(
        small,
        f"source: key, corner: Model, {MODELS}, columns: [{{each: [dimension], titles: {{colour: Col}}}}, "
        "{each: [group], only: {group: [Looks]}}, {title: Dimensions, over: dimensions}, "
        "{title: Groups, over: groups}, {title: Answers, percent: true, digits: 0}]",
    )
    # good is right in 2 of 2, 1 of 2 and 1 of 1: over dimensions (1 + 0.5 + 1) / 3, over groups (3/4 + 1) / 2
    assert found == [
        ["Model", "Looks: Col", "Looks: Shape", "Sense: Use", "Looks", "Dimensions", "Groups", "Answers"],
        ["good", "1.000", "0.500", "1.000", "0.750", "0.833", "0.875", "80"],
        ["poor", "0.500", "0.000", "0.000", "0.250", "0.167", "0.125", "20"],
    ]


def test_a_cell_is_the_line_that_results_print(small: Store) -> None:
    read = project_answers.read_project(small, person=None, project="p")
    board = leaderboard.sliced_scores(read, Scores("judge", "score", "big-1"))
    number = (
        made(small, f"source: judge, judge: big, {MODELS}, columns: [{{each: [dimension]}}]").rows[1].cells[0].number
    )
    line = board.cells["poor", 0].found
    assert (number.value, number.low, number.high, number.n) == (line.value, line.low, line.high, line.n_units)


@pytest.mark.parametrize(
    ("source", "column", "expected"),
    [
        # people's means of the two: 1, 0.75 in colour, 0.5, 0 in shape
        ("people", "{title: C, part: colour, by: dimension}", "0.875"),
        ("people", "{title: C}", "0.563"),
        ("people", "{title: C, criterion: clear}", "0.667"),
        ("judge", "{title: C, graded: true}", "0.750"),
        ("judge", "{title: C}", "0.700"),  # the first of the schema's judges that has rated: big, which is called big-1
        ("judge", "{title: C, judge: odd}", "0.375"),
        ("judge", "{title: C, source: people}", "0.563"),  # a column says what is different
        # a judge that always says the same corrects nothing by PPI++, and Rogan and Gladen refuse it
        ("corrected", "{title: C, criterion: clear, judge: odd}", "0.667"),
        ("corrected", "{title: C, criterion: clear, judge: odd, method: rogan_gladen}", NOTHING),
        ("people", "{title: C, model: poor}", NOTHING),
    ],
)
def test_where_a_number_comes_from(small: Store, source: str, column: str, expected: str) -> None:
    rows = "rows: [{title: R, model: good}]"
    found = made(small, f"source: {source}, {rows}, columns: [{column}, {{title: D, source: key}}]")
    assert found.rows[0].cells[0].shown == expected


def test_which_models_and_in_which_order(small: Store) -> None:
    def names(rows: str) -> list[str]:
        about = f"source: key, criterion: score, rows: [{{each: [model], {rows}}}]"
        table = made(small, f"{about}, columns: [{{title: C}}]")
        return [row.head.title for row in table.rows]

    assert names("order: mean") == ["good", "poor"]
    assert names("order: rising") == ["poor", "good"]
    assert names("order: name") == ["good", "poor"]
    assert names("top: 1, order: rising") == ["good"]
    assert names("only: {model: [poor]}") == ["poor"]
    assert names("titles: {poor: Poor-7B}, group: Small") == ["good", "Poor-7B"]
    assert names("graded: true") == ["good"], "people have graded good alone"


def test_only_items_that_every_model_of_the_table_has_answered(small: Store) -> None:
    make_project(small, name="q", loaded=load_text(SCHEMA, "Be exact.", "small"))
    # of the models that have a number all are meant, so that leaving out one changes the items
    about = f"source: key, {MODELS}, columns: [{{title: C}}]"
    assert [line[1] for line in shown(small, f"common: true, {about}")] == ["C", "0.800", "0.200"]


def test_slices_and_their_number(small: Store) -> None:
    rows = shown(
        small, f"source: key, by: origin, {MODELS}, columns: [{{each: [slice], only: {{slice: [origin-0, origin-4]}}}}]"
    )
    assert rows == [["", "origin-0", "origin-4"], ["good", "1.000", "1.000"], ["poor", "1.000", "0.000"]]
    cut = f"source: key, by: question.words, {MODELS}, columns: [{{each: [slice]}}]"
    assert len(shown(small, cut)[0]) == 2, "all questions have as many words"
    by_likeness = f"source: key, by: origin.words, bins: 2, {MODELS}, columns: [{{each: [slice]}}]"
    assert made(small, by_likeness).why == ""


def test_agreement_of_people_with_judges_and_among_each_other(small: Store) -> None:
    # people 1, 0.75, 0.5, 0 and big 1, 1, 1, 0: cov 0.40625 - ... by hand: means 0.5625, 0.75; sums of products
    # 0.34375, of squares 0.546875 and 0.75; r = 0.34375 / sqrt(0.41015625) = 0.7332... with odd 0, 0.5, 0, 1:
    # mean 0.375, squares 0.6875, products -0.46875: r = -0.46875 / sqrt(0.546875 * 0.6875) = -0.7645
    about = "source: agreement, statistic: pearson, unit: answer, graded: true, criterion: score, digits: 4"
    people = [1, 0.75, 0.5, 0]

    def pearson(one: Sequence[float], other: Sequence[float]) -> str:
        a, b = sum(one) / 4, sum(other) / 4
        products = sum((x - a) * (y - b) for x, y in zip(one, other, strict=True))
        squares = sum((x - a) ** 2 for x in one) * sum((y - b) ** 2 for y in other)
        return f"{products / squares**0.5:.4f}"

    big, odd = GRADED["big-1"]["good"][:4], GRADED["odd"]["good"]
    pair = "{each: [evaluator], only: {evaluator: [big, odd, people]}}"
    assert shown(small, f"{about}, rows: [{pair}], columns: [{pair}]") == [
        ["", "big-1", "odd"],
        ["odd", pearson(odd, big), ""],
        ["People", pearson(people, big), pearson(people, odd)],
    ]
    judges = shown(
        small, f"{about}, between: [people], rows: [{{each: [judge], titles: {{big: Big}}}}], columns: [{{title: r}}]"
    )
    assert judges == [["", "r"], ["Big", pearson(people, big)], ["odd", pearson(people, odd)]]
    # ann and ben: 1 1 .5 0 and 1 .5 .5 0 agree on 3 of 4; means by dimension: people 0.875, 0.25, big 1, 0.5
    among = "source: agreement, between: [people], criterion: score, digits: 2, rows: [{title: R}]"
    assert shown(small, f"{among}, columns: [{{title: C, statistic: percent_agreement}}]")[1] == ["R", "0.75"]
    assert (
        shown(small, f"{among}, columns: [{{title: C, statistic: percent_agreement, by: dimension, part: colour}}]")[1][
            1
        ]
        == "0.50"
    )
    means = "source: agreement, between: [people, big], unit: dimension, statistic: mae, digits: 4, rows: [{title: R}]"
    assert shown(small, f"{means}, columns: [{{title: C}}]")[1][1] == "0.1875"  # (0.125 + 0.25) / 2
    forms = (
        "source: agreement, between: [people], statistic: krippendorff_alpha, digits: 4, rows: [{title: R}], columns: "
    )
    plain, weighed = (shown(small, f"{forms} [{{title: C{more}}}]")[1][1] for more in ("", ", form: ordinal"))
    assert plain != weighed


def test_people_as_one_rater_is_what_the_command_agreement_prints(small: Store) -> None:
    found = agreement_of_answers(
        small, person=None, project="p", raters=["ann", "ben", "odd"], criteria=["score"], statistics=["bias"]
    )
    (bias,) = (each for each in found if each.statistic == "bias")
    assert bias.args["pair"] == [PEOPLE, "odd"]
    assert abs(bias.value or 0) == pytest.approx(0.5625 - 0.375)


def test_a_share_of_answers_by_an_option(store: Store, tmp_path: Path) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace(
        'kind: scale, prompt: "How good?", values: [0, 0.5, 1]', 'kind: choice, prompt: "?", options: [a, b]'
    )
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    answer(store, make_items(store, 4), "m", lambda at: "blue")
    rows = [(f"colour/{at}", "m", who, "a" if at else "b") for at in range(4) for who in ("ann", "ben")]
    bring_in(store, tmp_path, rows, raters=RatersAre.PEOPLE)
    about = "source: people, digits: 2, rows: [{title: R, model: m}]"
    both = "{title: A, option: a}, {title: B, option: b}"
    assert shown(store, f"{about}, columns: [{both}]")[1] == ["R", "0.75", "0.25"]


@needs("table_sources", "failures")
def test_a_share_of_answers_by_a_code(store: Store) -> None:
    make_project(store, loaded=coded(CODING.replace("raters: 2", "raters: 1")))
    answer(store, make_items(store, 4), "m", lambda at: "blue")
    open_work(store, Stage.CODING)
    (ann,) = make_people(store, "ann")
    for codes in (["perception"], ["perception", "format"], ["format"], ["perception"]):
        code(store, ann, codes)
    rows_ = "rows: [{each: [model], order: name}], columns: [{each: [code], titles: {format: Form}}]"
    assert shown(store, f"source: failures, digits: 2, {rows_}") == [
        ["", "Perception", "Reasoning", "Form"],
        ["m", "0.75", "0.00", "0.50"],
    ]


def test_the_best_of_each_column_and_halves_rounded_up(small: Store) -> None:
    table = made(small, f"source: key, best: true, {MODELS}, columns: [{{each: [dimension]}}]")
    assert [[cell.rank for cell in row.cells] for row in table.rows] == [[1, 1, 1], [2, 2, 2]]
    # 0.125, 0.375 and 0.285 are printed as people do it; the last is a little less than that as a float
    assert [printed(value, percent=False, digits=2) for value in (0.125, 0.375, 0.285, -0.001)] == [
        "0.13",
        "0.38",
        "0.29",
        "0.00",
    ]


@needs("options", "results --group-models-by")
def test_a_group_by_an_attribute_that_no_model_has_says_so(small: Store) -> None:
    groups = made(small, "source: key, rows: [{each: [attribute], group_by: size}], columns: [{title: C}]")
    assert groups.why.startswith("No model has an attribute 'size'. This project has no attributes")


def test_what_cannot_be_made_says_why_in_a_sentence(small: Store) -> None:
    def why(text: str) -> str:
        return made(small, f"{text}, {MODELS}, columns: [{{title: C}}]").why

    assert why("source: judge, judge: gpt-9") == "No judge gpt-9 has rated models' answers. Judges: big-1, odd."
    assert (
        why("source: people, criterion: beauty")
        == "No person has graded models' answers on beauty yet. Grade some answers first."
    )
    assert why("source: key, common: true, by: beauty").startswith("Touchstone cannot slice items by 'beauty'")
    assert why("source: agreement").startswith("The layout cannot order models by agreement")
    nothing = made(small, "source: failures, rows: [{each: [model], order: name}], columns: [{each: [code]}]")
    assert (
        nothing.why
        == "The schema small has no coding of models' answers (`stages: coding`), so Touchstone cannot count failures. "
        "Add this stage to the schema."
    )
    assert why("source: key, group_by: size") == ""
    there = made(small, "source: key, rows: [{each: [model], only: {model: [gpt-9]}}], columns: [{title: C}]")
    assert there.why == "Unknown model 'gpt-9'. Choose from: good, poor."
    with pytest.raises(InvalidInputError, match=r"no table 'x'\. Choose from: t"):
        paper_tables(small, person=None, project="p", layout=layout(f"{MODELS}, columns: [{{title: C}}]"), names=["x"])
    make_project(small, name="empty", loaded=load_text(SCHEMA, "Be exact.", "small"))
    tables = paper_tables(small, person=None, project="empty").tables
    assert [each.name for each in tables] == ["key", "people", "judges", "evaluators", "agreement"]
    assert [each.why for each in tables][:3] == [
        "No model has answered yet. Run a model, or import answers.",
        "No person has graded models' answers on score yet. Grade some answers first.",
        "No judge has rated models' answers yet. Run a judge first.",
    ]


def test_another_extension_reads_a_project_once(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def sums(store: Store, read: project_answers.ProjectAnswers) -> Callable[..., Statistic]:
        reads.append(read.project)

        def of_cell(*, part: str, judge: Callable[[], str], **about: object) -> Statistic:
            assert (judge(), about) == ("odd", {"model": None, "criterion": None, "code": None, "form": "linear"})
            if part != "colour":
                raise NotFoundError(f"{part} is not an aspect of the regression.")
            return replace(undefined("", n_units=7, n_raters=1), value=0.25, reason=None)

        return of_cell

    monkeypatch.setattr(extensions, "rows", lambda point: [("regression", sums)] if point == "table_sources" else [])
    wanted = "source: regression, judge: odd, form: linear, rows: [{title: R}], columns: [{each: [dimension]}]"
    table = made(small, wanted)
    assert reads == ["p"]
    assert [cell.shown for cell in table.rows[0].cells] == ["0.250", NOTHING, NOTHING]
    assert table.rows[0].cells[0].number.n == 7
    assert table.reasons == ["shape is not an aspect of the regression.", "use is not an aspect of the regression."]


def test_names_are_text_in_markdown() -> None:
    name = "a|b <img src=x onerror=alert(1)> **c** _d_ llava_v1.5 [e](javascript:f) `g`\n# h &lt;"
    table = PaperTable("t", name, "", name, "M", (Head("n"),), (), (), percent=False)
    written = r"a\|b \<img src=x onerror=alert(1)\> \*\*c\*\* \_d\_ llava_v1.5 \[e\](javascript:f) \`g\` # h \&lt;"
    assert table_files.as_markdown(table) == f"**{written}**\n\n| M | n |\n|---|---:|\n\n{written}\n"


def test_as_text_csv_markdown_and_json(small: Store) -> None:
    text = "source: key, percent: true, note: N, paper: Table 9, best: true, corner: M, " + (
        "rows: [{each: [model], group: Open}], columns: [{each: [dimension], only: {dimension: [colour, use]}}]"
    )
    table = made(small, text)
    assert table_files.as_csv(table) == (
        "group,M,Looks: Colour,Sense: Use\nOpen,good,100.0,100.0\nOpen,poor,50.0,0.0\n"
    )
    assert (
        "| Open: good | **100.0** | **100.0** |\n| Open: poor | <u>50.0</u> | <u>0.0</u> |"
        in table_files.as_markdown(table)
    )
    found = paper_tables(small, person=None, project="p", layout=layout(text))
    assert list(table_files.as_text(found))[-8:] == [
        "t (Table 9): T",
        "         Looks   Sense",
        "  M     Colour     Use",
        "  Open",
        "  good  100.0*  100.0*",
        "  poor    50.0     0.0",
        "  *: highest value of the column.",
        "  N",
    ]
    cell = table_files.as_json(found)["tables"][0]["rows"][1]["cells"][0]
    assert (cell["printed"], cell["value"], cell["n"], cell["reason"]) == ("50.0", 0.5, 2, None)


ROW, COLUMN = "{title: R}", "{title: C}"


@pytest.mark.parametrize(
    ("more", "row", "column", "said"),
    [
        ("", ROW, "{title: C, colour: red}", "unknown key"),
        ("sauce: key,", ROW, COLUMN, "did you mean `source`"),
        ("", "{}", COLUMN, "add `title` or `each`"),
        ("", "{each: [slice]}", COLUMN, "`slice` needs `by`"),
        ("", "{each: [attribute]}", COLUMN, "`attribute` needs `group_by`"),
        ("", "{each: [model, model]}", COLUMN, "each entry only once"),
        ("", "{each: [judge], top: 2}", COLUMN, "a number of at least 1 and `each: [model]`"),
        ("", "{each: [judge], only: {model: [a]}}", COLUMN, "`only` must name entries of `each`"),
        ("statistic: kapa,", ROW, COLUMN, "no statistic `kapa`"),
        ("between: [big],", ROW, COLUMN, "to compare two raters, name two entries"),
        ("between: [a, b, c],", ROW, COLUMN, "name only people (`[people]`), people and a judge, or two judges"),
        ("digits: 9,", ROW, COLUMN, "from 0 to 6"),
        ("bins: 1,", ROW, COLUMN, "from 2 to 20"),
        ("", "", COLUMN, "the table needs `rows`"),
        ("chart: [pie],", ROW, COLUMN, "`pie` is not a known value"),
    ],
)
def test_a_layout_that_means_nothing_is_refused_by_line(more: str, row: str, column: str, said: str) -> None:
    with pytest.raises(SchemaError, match=r"layout\.yaml:2: ") as refused:
        layout(f"{more} rows: [{row}], columns: [{column}]")
    assert said in str(refused.value)


def test_names_of_tables() -> None:
    rest = "title: T, rows: [{title: R}], columns: [{title: C}]"
    for tables, said in (
        (f"[{{name: T!, {rest}}}]", "lowercase letters"),
        (f"[{{name: t, {rest}}}, {{name: t, {rest}}}]", "the name `t` occurs twice"),
        ("[]", "at least one table"),
    ):
        with pytest.raises(SchemaError, match=said):
            parse_layout(f"tables: {tables}", file="layout.yaml")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_layout_that_comes_along_names_only_what_its_schema_has(name: str, store: Store) -> None:
    loaded = load_schema(schemas()[name]) if name in schemas() else load_text(SCHEMA, "Be exact.", "small")
    make_project(store, loaded=loaded)
    found = paper_tables(store, person=None, project="p", layout=read_layout(shipped()[name]))
    # what no item has been labelled with is told with all that there is
    assert {
        each.why for each in found.tables if not each.why.startswith("Touchstone cannot slice items by 'bertscore'")
    } <= {
        "No model has answered yet. Run a model, or import answers.",
        "No judge has rated models' answers yet. Run a judge first.",
        *(
            f"No person has graded models' answers on {each} yet. Grade some answers first."
            for each in ("score", "success", "perception")
        ),
        "No person has submitted ratings in grading yet.",
        "No answer in the aspects of ETP-Bench has a score yet. Grade the answers, or run a judge.",
        *extensions.all_missing("table_sources").values(),
    }


def test_every_table_that_comes_along_is_told_next_to_the_papers_own() -> None:
    page = (ROOT / "docs" / "researchers.md").read_text(encoding="utf-8")
    told = page[page.index("### EgoThink's tables") : page.index("## Failures")]
    for schema, path in shipped().items():
        missing = [table.name for table in read_layout(path) if f"`{table.name}`" not in told]
        assert schema == "any" or not missing
