"""Schema files that do not fit are refused by file, line and key, everything at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas.loader import examine, load_schema, load_text
from annotation_schemas.yaml_text import LARGEST_BYTES
from domain.errors import SchemaError

FITS = """\
name: small
version: 1
title: Small
dimensions: [{id: one, title: One}, {id: two, title: Two}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria:
      - name: choice
        kind: option_of
        field: options
        prompt: Which?
      - name: fits
        kind: choice
        prompt: Fits?
        options:
          - {value: "yes", label: Yes it does}
          - {value: "no", label: "No"}
      - name: size
        kind: scale
        prompt: How large?
        values: [1, 2, 3]
        show_if: {fits: ["yes"]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication: none
report: {statistics: [cohen_kappa]}
"""


ONE = 'rule: unanimous, criterion: fits, value: "yes"'
"""The keep rule of the schema that is broken."""


SCALE = "kind: scale\n        prompt: How large?\n        values: [1, 2, 3]"


class Broken(NamedTuple):
    """A change to the file that fits, and the line and key that the message must name, with a part of the sentence."""

    old: str
    new: str
    line: int
    key: str
    says: str


BROKEN = [
    Broken("title: Small", "title: Small\ntitle: Again", 4, "title", "duplicate key; this key is already on line 3"),
    Broken("        prompt: Which?", "        prompt: Which?\n        kind: text", 19, "kind", "duplicate key"),
    Broken("title: Small", "titel: Small", 3, "titel", "did you mean `title`?"),
    Broken("raters: 2", "rater: 2", 13, "stages.verification.rater", "did you mean `raters`?"),
    Broken("version: 1", "version: one", 2, "version", "the value must be a whole number, not text"),
    Broken("version: 1", "version: 1.0", 2, "version", "write 1"),
    Broken("version: 1", 'version: "1"', 2, "version", "the value must be a whole number, not text"),
    Broken("version: 1", "version: 0", 2, "version", "must be 1 or greater"),
    Broken("title: Small", "title: 1.10", 3, "title", 'quote the text: "1.10"'),
    Broken("title: Small", "title: 2.5", 3, "title", 'quote the value: "2.5"'),
    Broken("title: Small", "title: 12", 3, "title", 'quote the value: "12"'),
    Broken("title: Small", "title: yes", 3, "title", 'quote the text: "yes"'),
    Broken("title: Small", "title: true", 3, "title", 'quote the value: "true"'),
    Broken("title: Small", "title: 2024-01-02", 3, "title", "as a date; quote the text"),
    Broken("version: 1", "version: " + "9" * 5000, 2, "version", "not 5,000 characters; write at most 15 digits"),
    Broken("title: Small", "title: Small\n<<: {a: 1}", 4, "<<", "quote the key"),
    Broken("title: Small", "title:", 3, "title", "the value is missing"),
    Broken("title: Small", "title: [Small]", 3, "title", "the value must be text, not a list"),
    Broken('value: "yes", label: Yes', "value: yes, label: Yes", 23, ".options[0].value", 'quote the text: "yes"'),
    Broken('value: "no"', "value: off", 24, ".options[1].value", 'quote the text: "off"'),
    Broken("values: [1, 2, 3]", "values: [1, 010, 3]", 28, ".values[1]", 'quote the text: "010"'),
    Broken("values: [1, 2, 3]", "values: [1, 1:30, 3]", 28, ".values[1]", 'quote the text: "1:30"'),
    Broken("values: [1, 2, 3]", "values: [1, .inf, 3]", 28, ".values[1]", "quote the text"),
    Broken("values: [1, 2, 3]", "values: [1, 3, 2]", 28, ".values", "in order"),
    Broken("values: [1, 2, 3]", "values: [1, 2, 2]", 28, ".values[2]", "appears twice"),
    Broken("        values: [1, 2, 3]\n", "", 25, "criteria[2]", "needs at least two `values`"),
    Broken("values: [1, 2, 3]", "values: [1, 2, 3]\n        labels: [a, b]", 29, ".labels", "2 labels for 3 values"),
    Broken("values: [1, 2, 3]", "least: 1", 28, ".least", "unknown key"),
    Broken("values: [1, 2, 3]", "values: [1, 2, 3]\n        min: 1", 29, ".min", "`scale` has no `min`"),
    Broken("kind: scale", "kind: scal", 26, ".kind", "did you mean `scale`?"),
    Broken("kind: text}", "kind: txt}", 8, "item.fields[0].kind", "did you mean `text`?"),
    Broken("        field: options\n", "        field: option\n", 17, ".field", "did you mean `options`?"),
    Broken("        field: options\n", "", 15, "criteria[0]", "`field` is missing"),
    Broken("field: options, secret", "field: question, secret", 10, ".field", "not a text_list field"),
    Broken("kind: text_list}", "kind: text_list, secret_in: [verification]}", 17, ".field", "secret in verification"),
    Broken("secret_in: [verification]", "secret_in: [verifying]", 10, ".secret_in[0]", "did you mean `verification`"),
    Broken('{fits: ["yes"]}', '{fit: ["yes"]}', 29, ".show_if.fit", "does not come before"),
    Broken('{fits: ["yes"]}', "{size: [1]}", 29, ".show_if.size", "does not come before"),
    Broken('{fits: ["yes"]}', '{fits: ["maybe"]}', 29, ".show_if.fits", "`maybe` is not a value of `fits`"),
    Broken("rule: unanimous", "rule: unanimus", 30, "keep.rule", "did you mean `unanimous`?"),
    Broken("criterion: fits", "criterion: fit", 30, "keep.criterion", "did you mean `fits`?"),
    Broken('value: "yes"}\n  adj', 'value: "ja"}\n  adj', 30, "keep.value", "`ja` is not a value of `fits`"),
    Broken(', value: "yes"}\n  adj', "}\n  adj", 30, "keep", "`value` is missing"),
    Broken("rule: unanimous, criterion: fits, value: \"yes\"", "rule: unanimous_and_key, criterion: choice", 30, "keep",
           "`key` is missing"),
    Broken("rule: unanimous, criterion: fits, value: \"yes\"", "rule: unanimous_and_key, criterion: choice, key: reply",
           30, "keep.key", "`reply` is not a field"),
    Broken("rule: unanimous, criterion: fits, value: \"yes\"",
           "rule: unanimous_and_key, criterion: choice, key: question", 30, "keep.key", "must be hidden from raters"),
    Broken("rule: unanimous, criterion: fits, value: \"yes\"", "rule: all_of, criteria: [fits]", 30, "keep",
           "`values` is missing"),
    Broken("criterion: fits, value: \"yes\"", "criterion: fits, values: {size: 1}", 30, "keep.values",
           "one value for each of fits"),
    Broken("criterion: fits, value: \"yes\"", "values: {fits: \"yes\", size: 4}", 30, "keep.values",
           "`4` is not a value of `size`"),
    Broken("criterion: fits, value: \"yes\"", "value: 1, values: {size: 1}", 30, "keep.value",
           "`values` already has a value"),
    Broken("rule: unanimous, criterion: fits, value: \"yes\"", "rule: all_of, key: answer, values: {size: 1}", 30,
           "keep.key", "needs `values`, not `key`"),
    *(
        Broken("    - {name: question, kind: text}", f"    - {{name: question, kind: decimal, {said}}}", 8, key, says)
        for said, key, says in (
            ("step: 0", ".step", "more than 0"),
            ("min: 2, max: 1", ".max", "`max` is less than `min`; raise `max`, or lower `min`"),
            ("min: 1, max: 1.5, step: 1", ".step", "larger than the range from `min` to `max`"),
            ("read_as: text", ".read_as", "accept only `read_as: number`"),
            ("tolerance: {absolute: 1}", ".tolerance", "compares models' numbers only with the key"),
            ("max_length: 3, options: [a]", ".options", "cannot have its own options; remove `options`"),
        )
    ),
    Broken("kind: text}", "kind: text, min: 1}", 8, "fields[0].min", "`decimal`"),
    *(
        Broken(SCALE, SCALE.replace("scale", "number").replace("values: [1, 2, 3]", f"tolerance: {{{said}}}"), 28, key,
               says)
        for said, key, says in (
            ("absolute: 1, relative: 0.1", ".tolerance", "this has absolute and relative"),
            ("absolute: 0", ".tolerance.absolute", "`absolute` must be more than 0"),
            ("relative: 5", ".tolerance.relative", "above 0 and below 1"),
            ("within: cups", ".tolerance.within", "`cups` is not a known unit"),
            ("within: cm", ".tolerance.within", "the number has no `unit`, so Touchstone cannot round the number "
            "to cm; use a matching unit"),
            ("per: 5", ".tolerance.per", "unknown key"),
        )
    ),
    Broken("values: [1, 2, 3]", "values: [1, 2, 3]\n        tolerance: {absolute: 1}", 29, ".tolerance",
           "`scale` has no `tolerance`"),
    Broken(ONE, 'rule: all_of, criterion: fits, parts: [{criterion: fits, value: "yes"}]', 30, "keep.criterion",
           "`parts` have their own targets"),
    Broken(ONE, "rule: unanimous_and_key, parts: [{criterion: size, at_most: 2}]", 30, "keep.parts",
           "use `all_of` for parts"),
    Broken(ONE, "rule: all_of, parts: [{criterion: fit, value: \"yes\"}]", 30, "keep.parts[0].criterion",
           "did you mean `fits`?"),
    Broken(ONE, "rule: all_of, parts: [{criterion: fits}]", 30, "keep.parts[0]", "this part has no target"),
    Broken(ONE, "rule: all_of, parts: [{criterion: size, value: 1, at_most: 2}]", 30, "keep.parts[0]",
           "this part has value and `at_least` or `at_most`"),
    Broken(ONE, "rule: all_of, parts: [{criterion: size, value: 1}, {criterion: size, at_most: 2}]", 30,
           "keep.parts[1].criterion", "appears twice"),
    Broken(ONE, "rule: all_of, parts: [{criterion: fits, value: maybe}]", 30, "keep.parts[0].value",
           "`maybe` is not a value of `fits`"),
    Broken(ONE, "rule: all_of, parts: [{criterion: fits, at_most: 3}]", 30, "keep.parts[0].at_most", "are not numbers"),
    Broken(ONE, "rule: all_of, parts: [{criterion: size, at_least: 3, at_most: 1}]", 30, "keep.parts[0].at_most",
           "`at_most` is less than `at_least`; raise `at_most`, or lower `at_least`"),
    Broken(ONE, "rule: all_of, parts: [{criterion: choice, key: question}]", 30, "keep.parts[0].key",
           "must be hidden from raters"),
    Broken(ONE, "rule: all_of, parts: [{criterion: choice, key: reply}]", 30, "keep.parts[0].key",
           "`reply` is not a field"),
    Broken("prompt: Fits?", "prompt: Fits?\n        dimensions: [one]", 31, "keep.criterion",
           "only in some dimensions"),
    Broken("    keep:", "    skips: {after: 1}\n    keep:", 30, "verification.skips",
           "raters cannot skip any criterion of `keep`"),
    Broken("    keep:", "    skips: {after: 3}\n    keep:", 30, "skips.after", "at most the number of raters (2)"),
    Broken("    keep:", "    skips: {after: 1, then: adjudicate}\n    keep:", 30, "skips.then", "no adjudication"),
    Broken("    keep:", "    skips: {after: 1, then: retired}\n    keep:", 30, "skips.then", "did you mean `retire`?"),
    Broken("{id: two,", "{id: one,", 4, "dimensions[1].id", "appears twice"),
    Broken("{id: two,", "{id: Two,", 4, "dimensions[1].id", "only lowercase letters"),
    Broken("[{role: image, kind: image}]", "[{role: image, kind: image}, {role: image, kind: clip}]", 6,
           "item.assets[1].role", "appears twice"),
    Broken("name: options", "name: question", 9, "item.fields[1].name", "appears twice"),
    Broken("- name: size", "- name: fits", 25, ".name", "appears twice"),
    Broken("[cohen_kappa]", "[cohens_kappa]", 32, "report.statistics[0]", "did you mean `cohen_kappa`?"),
    Broken("adjudication: none", "adjudication: {reasons: []}", 31, "stages.adjudication.reasons", "at least 1 entry"),
    Broken("adjudication: none", "adjudication: {by: lead,\n    causes: [a, a]}", 32, "stages.adjudication.reasons[1]",
           "appears twice"),
    Broken("adjudication: none", "adjudication: {reasons: [a],\n    causes: [b]}", 32, "stages.adjudication.causes",
           "the file has both `reasons` and its earlier name `causes`; remove `causes`"),
    Broken("adjudication: none", "adjudication: no", 31, "stages.adjudication", "not `no`; use these keys: by, "),
    Broken("raters: 2", "raters: 0", 13, "stages.verification.raters", "at least 1"),
    Broken("title: Small", "title: Small\nguideline: ../secret.md", 4, "guideline", "outside the schema's folder"),
    Broken("title: Small", "title: Small\nguideline: none.md", 4, "guideline", "there is no file `none.md`"),
    Broken("title: Small", "title: &a Small", 3, "", "anchors"),
    Broken("title: Small", "title: !!python/name:os.system x", 3, "", "tags"),
    Broken("title: Small", "title: !!str 1", 3, "", "tags"),
    Broken("title: Small", "title: 'Small", 3, "", "invalid YAML"),
    Broken("title: Small", "title: Small\n---\nname: other", 4, "", "second document"),
    Broken("title: Small", "\ttitle: Small", 3, "", "invalid YAML"),
    Broken("title: Small", "title: Small\n1: x", 4, "1", "quote the key"),
    Broken("title: Small", "title: Small\n[a, b]: x", 4, "", "a key must be a word"),
    Broken("title: Small", "title: Small\njudges: [{criterion: fits, template: nobody}]", 4, "judges[0].template",
           "there is no template `nobody`"),
    Broken("title: Small", "title: Small\njudges: [{criterion: fits, template: verify_reference, sees: [question]}]", 4,
           "judges[0]", "placeholder `answer` uses `answer`, which is not in `sees`"),
    Broken("title: Small", "title: Small\nsource: {format: csw}", 4, "source.format", "there is no format `csw`"),
    Broken("title: Small", "title: Small\nexport: {formats: [egothink], public_without: [key]}", 4,
           "export.public_without[0]", "`key` is not a field"),
    Broken("title: Small", "title: Small\nexport: {formats: [egothink], private_splits: [test]}", 4,
           "export.private_splits", "private splits need hidden fields"),
    Broken("title: Small", "title: Small\nexport: {public_without: [question], private_splits: [Test]}", 4,
           "export.private_splits[0]", "`Test` is not a valid name"),
]  # fmt: skip


def test_the_file_that_the_table_changes_fits() -> None:
    assert load_text(FITS, "", "small.yaml").schema_.name == "small"


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.line}-{broken.says[:40]}")
def test_a_broken_file_is_refused_by_line_and_key(broken: Broken, tmp_path: Path) -> None:
    assert broken.old in FITS
    path = tmp_path / "small.yaml"
    path.write_text(FITS.replace(broken.old, broken.new, 1), encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        load_schema(path)
    lines = str(caught.value).splitlines()
    assert any(
        line.startswith(f"{path}:{broken.line}: ")
        and broken.key in line.split(": ")[1 if broken.key else 0]
        and broken.says in line
        for line in lines
    ), lines


def test_all_problems_are_reported_at_once() -> None:
    text = (
        FITS.replace("title: Small", "titel: Small").replace("raters: 2", "raters: many").replace("[1, 2, 3]", "[yes]")
    )
    with pytest.raises(SchemaError) as caught:
        load_text(text, "", "small.yaml")
    assert [line.split(" ")[0] for line in str(caught.value).splitlines()] == [
        "small.yaml:1:",  # title is missing
        "small.yaml:3:",  # titel is unknown
        "small.yaml:13:",
        "small.yaml:28:",
    ]


def lines_of(text: str) -> list[str]:
    """Line numbers and messages about a text."""
    return [line.removeprefix("small.yaml:") for line in refusal(text).splitlines()]


def test_a_quote_that_is_not_closed_is_told_where_it_was_opened() -> None:
    # the next quote stands on line 18, where a parser stumbles
    quoted = FITS.replace("prompt: Which?", "prompt: 'Which?'")
    for opened in ("title: 'Small", 'title: "Small'):
        (line, *more) = lines_of(quoted.replace("title: Small", opened))
        assert line == "3: invalid YAML: the opening quote on this line has no closing quote; add the closing quote."
        assert more == []
    # closed two lines on, it is a text of two lines
    assert refusal(quoted.replace("title: Small", "title: 'Small\n  and more'")) == ""


def test_what_is_not_yaml_hides_nothing_else() -> None:
    text = FITS.replace("title: Small", "title: 'Small").replace("prompt: Which?", "prompt: 'Which?'")
    text = text.replace("kind: text}", "kind: txt}").replace("[1, 2, 3]", "[1, 2, 3").replace("rule: unan", "rul: unan")
    found = lines_of(text + "report: {}\n")
    assert [line.split(":")[0] for line in found] == ["3", "8", "28", "30", "33"]
    assert "has no closing quote" in found[0]
    assert "`txt` is not a known value" in found[1]
    assert "invalid YAML" in found[2]
    assert "did you mean `rule`?" in found[3]
    assert "duplicate key" in found[4]


def test_values_that_do_not_fit_their_keys_hide_no_wrong_names() -> None:
    text = FITS.replace("raters: 2", "raters: many").replace("[cohen_kappa]", "[cohens]").replace("{fits: [", "{fit: [")
    found = lines_of(text.replace("kind: text}", "kind: txt}"))
    assert [line.split(":")[0] for line in found] == ["8", "13", "29", "32"]
    assert "there is no statistic `cohens`" in found[3]


def test_anchors_and_tags_hide_nothing_else() -> None:
    text = FITS.replace("title: Small", "title: &a !!str Small").replace("raters: 2", "raters: many")
    assert [line.split(":")[0] for line in lines_of(text)] == ["3", "3", "13"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"# nothing but a comment\n", "the file is empty"),
        (b"- a\n- b\n", "not a mapping"),
        (b"just words", "not a mapping"),
        (FITS.encode("utf-16"), "UTF-16"),
        (FITS.encode("utf-16-le"), "null bytes"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "null bytes"),
        (FITS.replace("Small", "Gr\u00f6\u00dfe").encode("latin-1"), "line 3 is not UTF-8"),
        (FITS.encode() + b"# \x07\n", "control character"),
        (b"#" * (LARGEST_BYTES + 1), "bytes"),
        (b"a: " + b"[" * 5000, "levels of nesting"),
        (b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors"),
    ],
)  # fmt: skip
def test_what_is_no_schema_text_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes(data)
    with pytest.raises(SchemaError, match=r"file\.yaml:") as caught:
        load_schema(path)
    assert says in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        with pytest.raises(SchemaError, match="cannot be read"):
            load_schema(path)


def test_a_guideline_that_leads_out_of_the_folder_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "small.yaml").write_text(FITS.replace("title: Small", "title: Small\nguideline: link.md"))
    with pytest.raises(SchemaError, match="outside"):
        load_schema(folder / "small.yaml")


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + FITS.replace("\n", "\r\n").encode())
    assert load_schema(path).hash == load_text(FITS, "", "x").hash


def test_the_hash_is_of_what_is_said_not_of_how() -> None:
    plain = load_text(FITS, "guide", "a")
    layout = "# a comment\n" + FITS.replace("[1, 2, 3]", "\n          - 1\n          - 2\n          - 3")
    assert load_text(layout, "guide", "b").hash == plain.hash
    assert load_text(FITS, "another guide", "a").hash != plain.hash
    assert load_text(FITS.replace("Small", "Smaller"), "guide", "a").hash != plain.hash


def test_an_earlier_key_says_the_same_as_the_one_of_today_and_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    today = FITS.replace("adjudication: none", "adjudication: {by: lead, reasons: [unclear]}")
    path.write_text(today.replace("reasons:", "causes:"), encoding="utf-8")
    examined = examine(path)
    assert examined.loaded.hash == load_text(today, "", "a").hash
    assert [reason.value for reason in examined.loaded.schema_.stages.adjudication.reasons] == ["unclear"]  # type: ignore[union-attr]
    says = (
        "stages.adjudication.causes: `causes` is now called `reasons`; use the new name, because the next version "
        "rejects `causes`."
    )
    assert f"{path}:31: warning: {says}" in examined.warnings


def test_the_short_forms_say_the_same_as_the_long_ones() -> None:
    short = FITS.replace('{value: "no", label: "No"}', '"no"').replace("  adjudication: none\n", "")
    assert load_text(short, "", "a").hash == load_text(FITS, "", "a").hash


@given(st.text(max_size=60))
def test_no_text_makes_the_loader_fall_over(text: str) -> None:
    with pytest.raises(SchemaError, match=r"any\.yaml:"):
        load_text(text, "", "any.yaml")


@pytest.mark.thorough
@given(st.data())
def test_a_file_with_a_line_lost_or_twice_is_refused_or_read(data: st.DataObject) -> None:
    lines = FITS.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1))
    text = "".join(lines[:at] + data.draw(st.sampled_from([[], lines[at : at + 1] * 2])) + lines[at + 1 :])
    assert all(line.startswith("small.yaml:") for line in refusal(text).splitlines())


def refusal(text: str) -> str:
    """What the loader says against a text; empty if nothing."""
    try:
        load_text(text, "", "small.yaml")
    except SchemaError as error:
        return str(error)
    return ""


OPEN = {"show_if", "fills", "scales", "fields", "media", "clips", "variants"}
"""Mappings whose keys are names of the schema's own."""


def mappings(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        if not OPEN & set(path[-1:]):
            yield path
        for key, part in value.items():
            yield from mappings(part, (*path, key))
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from mappings(part, (*path, index))


@pytest.mark.parametrize("path", list(mappings(yaml.safe_load(FITS))), ids=str)
def test_an_unknown_key_is_noticed_at_any_depth(path: tuple[Any, ...]) -> None:
    data = yaml.safe_load(FITS)
    place = data
    for step in path:
        place = place[step]
    place["surprise"] = 1
    with pytest.raises(SchemaError, match="surprise: unknown key"):
        load_text(yaml.safe_dump(data, sort_keys=False), "", "small.yaml")


def test_a_number_in_quotes_is_told_once_where_any_number_fits() -> None:
    """One of 0.5 is told what to write, and not that only a whole number would do."""
    with pytest.raises(SchemaError) as found:
        load_text(FITS.replace("prompt: Which?", 'prompt: Which?\n        tolerance: {iou: "0.5"}'), "", "small")
    told = [line for line in str(found.value).splitlines() if ".iou: " in line]
    assert [line.split(".iou: ")[1] for line in told] == [
        "the value must be a number, not text; write 0.5 without quotes."
    ]
