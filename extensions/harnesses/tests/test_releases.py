"""What a release says of these formats: the fields they need, and the folder to put back where it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from domain.roles import Role
from testkit.factories import make_person, make_project
from tests.app.screens import drawn, words
from workflow.releases.format_choice import formats_of
from workflow.releases.settings import ReleaseOptions

SCHEMA = load_schema(shipped()["egothink"]).schema_


def test_the_data_card_marks_the_fields_that_croissant_needs(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "data_card", "lea", project="p")
    assert "A release needs a license. The format croissant needs every field marked with a star." in words(page)
    boxes = [each.label for each in (*page.text_input, *page.text_area) if str(each.key).startswith("release.say.")]
    assert {each.removesuffix(" *") for each in boxes if each.endswith(" *")} == {
        *("License", "Description", "Creators", "Address", "Limitations", "Biases", "Personal information"),
        *("Use cases", "Social impact", "Synthetic data", "Derived from", "Made by"),
    }
    assert {each for each in boxes if not each.endswith(" *")} == {
        *("Citation", "Media license", "Annotators", "Pay", "Maintenance"),
    }


@pytest.mark.parametrize(
    "asked", [ReleaseOptions(), ReleaseOptions(formats=("jsonl", "vlmevalkit"))], ids=["usual", "named"]
)
def test_a_release_names_the_folder_of_a_missing_format(monkeypatch: pytest.MonkeyPatch, asked: ReleaseOptions) -> None:
    assert "vlmevalkit" in [row.name for row in formats_of(SCHEMA, asked)]
    monkeypatch.setattr(extensions, "installed", dict)
    told = r"`vlmevalkit` belongs to the extension Harnesses and hubs, .* folder `extensions/harnesses`"
    with pytest.raises(NotAvailableError, match=told):
        formats_of(SCHEMA, asked)
    assert [row.name for row in formats_of(SCHEMA, ReleaseOptions(formats=("jsonl",)))] == ["jsonl"]
