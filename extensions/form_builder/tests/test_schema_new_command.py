"""``touchstone schema create``: the questions in the terminal, the options, and what is never written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from annotation_schemas.loader import examine
from annotation_schemas.model import LoadedSchema
from app import services
from app.cli import cli

pytestmark = pytest.mark.thorough


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(cli, ["schema", "create", *words], input=typed)


def written(path: Path) -> LoadedSchema:
    examined = examine(path)
    assert examined.warnings == ()
    return examined.loaded


def test_what_is_said_in_the_terminal_stands_in_the_file(here: Path) -> None:
    said = ["pairs", "Two pictures", "before=image, after=image", "What has moved?", "options", "Added, Moved", "3"]
    done = new("mine.yaml", typed="\n".join([*said, "blind", "majority", "yes", "yes", "etp_answer", ""]))
    assert done.exit_code == 0, done.output
    loaded = written(here / "mine.yaml")
    schema, stages = loaded.schema_, loaded.schema_.stages
    assert (schema.name, schema.title) == ("pairs", "Two pictures")
    assert [(slot.role, slot.kind) for slot in schema.item.assets] == [("before", "image"), ("after", "image")]
    assert [(field.name, field.kind) for field in schema.item.fields] == [
        ("question", "text"),
        ("options", "text_list"),
        ("answer", "option_of"),
    ]
    assert [each.id for each in schema.dimensions] == ["added", "moved"]
    assert stages.verification is not None
    assert (stages.verification.raters, stages.verification.keep.rule) == (3, "majority")
    assert stages.grading is not None
    assert [(judge.template, judge.criteria) for judge in schema.judges] == [("etp_answer", ("score",))]
    assert loaded.guideline_text == (here / "mine.md").read_text(encoding="utf-8")
    assert "Write a question such as: What has moved?" in loaded.guideline_text


def test_what_does_not_fit_is_asked_again_and_what_does_not_matter_is_not_asked(here: Path) -> None:
    """A text as the answer leaves one way to check it, two raters one way to keep it, no grades no judge."""
    typed = ["", "", "", "", "time_span", "text", "", "two", "2", ""]
    done = new("mine.yaml", typed="\n".join([*typed, ""]))
    assert done.exit_code == 0, done.output
    assert "  A time span needs a clip. Let items show a clip" in done.output
    assert "  Write a number from 1 to 1,000." in done.output
    for never in ("without seeing the author's answer", "unanimous", "LLM"):
        assert never not in done.output
    assert written(here / "mine.yaml").schema_.title == "Mine"


def test_options_ask_nothing_and_the_rest_is_usual(here: Path) -> None:
    done = new("my-chart.yaml", "--yes", "--answer", "number", "--check", "blind", "--grade", "--shows", "image, clip")
    assert done.exit_code == 0, done.output
    schema = written(here / "my-chart.yaml").schema_
    assert (schema.name, schema.title, schema.judges) == ("my_chart", "My chart", ())
    assert schema.stages.verification is not None
    assert schema.stages.verification.keep.rule == "unanimous_and_key"
    half = new("other.yaml", "--answer", "text")
    assert (
        str(half.exception)
        == "Touchstone can ask questions only in a terminal. Give --name, or --yes for the defaults."
    )
    assert not (here / "other.yaml").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mine.txt"], "mine.txt: a schema's file name must end in .yaml, such as mine.yaml."),
        (
            ["gone/mine.yaml"],
            "The folder gone does not exist. Create the folder, or give another path.",
        ),
        (
            ["mine.yaml", "--name", "My Own"],
            "--name: `My Own` must have only lowercase letters, digits and underscores",
        ),
        (["数.yaml"], "--name: Give the benchmark a name with lowercase letters, digits and underscores."),
        (["mine.yaml", "--raters", "2", "--keep", "majority"], "--keep: With 2 raters, a majority means all raters"),
        (
            ["mine.yaml", "--judge", "--answer", "options", "--check", "blind"],
            "--judge/--no-judge: Touchstone compares a judge with people's grades",
        ),
        (
            ["mine.yaml", "--template", "etp_answer"],
            "--template: Nobody grades models' answers, so Touchstone cannot compare `etp_answer`",
        ),
        (
            ["mine.yaml", "--template", "pca_anchors"],
            "--template: `pca_anchors` needs settings that a new schema does not have",
        ),
        (["mine.yaml", "--template", "mine"], "--template: `mine` is unknown. Use one of verify_reference."),
        (["mine.yaml", "--check", "blind"], "--check: Two people rarely write the same text"),
    ],
)
def test_what_does_not_fit_is_a_sentence_and_nothing_is_written(here: Path, words: list[str], sentence: str) -> None:
    done = new(*words, "--yes")
    assert str(done.exception).startswith(sentence)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("name", ["mine.yaml", "mine.md"])
def test_no_file_is_written_over(here: Path, name: str) -> None:
    (here / name).write_text("mine\n")
    done = new("mine.yaml", "--yes")
    assert str(done.exception) == f"{name} exists already. Give another name."
    assert [(path.name, path.read_text()) for path in here.iterdir()] == [(name, "mine\n")]


@pytest.fixture
def home(here: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (here / "home").mkdir()
    (here / "home/touchstone.db").write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("TOUCHSTONE_HOME", str(here / "home"))
    services.resources.cache_clear()
    yield here
    services.resources().store.close()
    services.resources.cache_clear()


def test_the_commands_that_it_ends_with_are_run_as_they_stand(home: Path) -> None:
    from PIL import Image

    (home / "FOLDER").mkdir()
    Image.new("RGB", (32, 24), (9, 99, 9)).save(home / "FOLDER" / "one.png")
    said = new("my own.yaml", "--yes")
    commands = re.findall(r"^  touchstone (.*)$", said.output, flags=re.MULTILINE)
    assert [shlex.split(line)[:2] for line in commands] == [
        ["schema", "check"],
        ["project", "create"],
        ["pool", "import"],
    ]
    for line in commands:
        done = CliRunner().invoke(cli, shlex.split(line, comments=True))
        assert done.exit_code == 0, (line, done.output, done.exception)
