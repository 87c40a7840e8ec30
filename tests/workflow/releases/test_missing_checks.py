"""Releases without the extension that checks their files: what is made says so, and accepted findings are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from media.store import MediaStore
from testkit.missing_extensions import needs
from testkit.released import needs_replay, needs_withdrawal, replay, verify, withdraw
from tests.workflow.releases.pictured import One, pictured
from workflow.releases.create import CreatedRelease, create
from workflow.releases.listing import all_releases, difference
from workflow.releases.printed_figures import figures_of
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]
SENTENCE = "The public files were not checked for leaks of private data."
WITHOUT_CARD = "The release has no card.html, because an extension was not installed."


@pytest.fixture
def without_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {name: each for name, each in extensions.installed().items() if name != "leaks"}
    monkeypatch.setattr(extensions, "installed", lambda: here)


def release(store: Store, media: MediaStore, home: Path, **more: tuple[str, ...]) -> CreatedRelease:
    return create(store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", "items"), **more))


@pytest.fixture
def no_extensions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "installed", lambda: {})


@needs_withdrawal
@needs("release_files", "card.html")
@pytest.mark.usefixtures("without_leaks")
def test_a_private_release_without_its_check_says_so_in_every_place(
    store: Store, media: MediaStore, home: Path
) -> None:
    pictured(store, media, [One("q1"), One("q2")])
    public = release(store, media, home)
    private = release(store, media, home, private=("test",))
    point = withdraw(store, media, home, by=None, project="p", version="2", item="q2", reason="Two are right.")
    for made, lacks in ((public, False), (private, True), (point, True)):
        told = json.loads((made.place / "public/manifest.json").read_text())
        assert told.get("not_checked") == (["leaks"] if lacks else None)
        assert (SENTENCE in (made.place / "public/README.md").read_text()) == lacks
        assert (SENTENCE in (made.place / "public/card.html").read_text()) == lacks
        assert (SENTENCE in made.notes) == lacks
    kept = [each.told.get("not_checked") for each in all_releases(store, home, by=None, project="p")]
    assert kept == [None, ["leaks"], ["leaks"]]
    assert difference(public.place / "public", private.place / "public").told["not_checked"] == (None, ["leaks"])


@pytest.mark.usefixtures("without_leaks")
def test_accepted_leaks_are_refused_where_nothing_looks_for_leaks(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One("q1"), One("q2")])
    named = (
        r"check of releases `leaks` belongs to the extension Leak check, which is not installed\. Restore the folder"
    )
    with pytest.raises(NotAvailableError, match=named):
        release(store, media, home, private=("test",), accepted=("ids: they are numbered by hand",))
    assert all_releases(store, home, by=None, project="p") == []


@needs_replay
@pytest.mark.usefixtures("no_extensions")
def test_a_release_without_its_card_says_so_in_every_place(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One("q1"), One("q2")])
    made = release(store, media, home)
    told = json.loads((made.place / "public/manifest.json").read_text())
    assert told["not_written"] == ["card.html"]
    assert "facts" not in told
    assert not (made.place / "public/card.html").exists()
    readme = (made.place / "public/README.md").read_text()
    assert readme == f"---\npretty_name: A blind test\n---\n\n# A blind test\n\n{WITHOUT_CARD}\n"
    assert WITHOUT_CARD in made.notes
    assert verify(made.place / "public") == []
    assert replay(made.place / "public").ok


@needs_withdrawal
@needs("release_files", "card.html")
def test_a_point_release_has_the_files_of_its_release(
    store: Store, media: MediaStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictured(store, media, [One("q1"), One("q2")])
    whole = release(store, media, home)
    with monkeypatch.context() as patched:
        patched.setattr(extensions, "installed", lambda: {})
        lacking = release(store, media, home)
        point = withdraw(store, media, home, by=None, project="p", version="1", item="q2", reason="Two are right.")
    later = withdraw(store, media, home, by=None, project="p", version="2", item="q2", reason="Two are right.")
    for made, lacks in ((whole, False), (lacking, True), (point, True), (later, True)):
        assert (made.place / "public/card.html").exists() != lacks
        assert (WITHOUT_CARD in made.notes) == lacks
    facts = [json.loads((made.place / "public/manifest.json").read_text()).get("facts") for made in (whole, point)]
    assert facts[0] == facts[1] is not None


@pytest.mark.usefixtures("no_extensions")
def test_evidence_names_the_sections_of_reports_that_it_lacks(store: Store, media: MediaStore) -> None:
    pictured(store, media, [One("q1")])
    lacks = figures_of(store, project="p").without["judges.pairs"]
    assert lacks.startswith("The section of calibration reports `pairs` belongs to the extension Preferences")
