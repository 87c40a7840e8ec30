"""A guideline gives each stage its part."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.guideline import guideline_for, sections
from annotation_schemas.loader import load_schema

TEXT = """\
# Title

Hello.

## Authoring

Write.

### Detail

More.

## Verification

Check.

## Dimensions

All.
"""


def test_sections_keep_their_headings() -> None:
    assert sections(TEXT)["authoring"] == "## Authoring\n\nWrite.\n\n### Detail\n\nMore.\n"
    assert sections(TEXT)[""] == "# Title\n\nHello.\n"
    assert sections("no headings") == {"": "no headings\n"}
    assert sections("") == {}


def test_a_stage_gets_the_introduction_its_section_and_the_dimensions() -> None:
    assert guideline_for(TEXT, "verification") == (
        "# Title\n\nHello.\n\n## Verification\n\nCheck.\n\n## Dimensions\n\nAll.\n"
    )


def test_a_stage_without_a_section_gets_everything() -> None:
    assert guideline_for(TEXT, "grading") == TEXT


def test_every_dimension_is_explained() -> None:
    for path in shipped().values():
        loaded = load_schema(path)
        part = sections(loaded.guideline_text)["dimensions"]
        for dimension in loaded.schema_.dimensions:
            assert f"### {dimension.title}\n" in part or f"**{dimension.title}**" in part, dimension.title
