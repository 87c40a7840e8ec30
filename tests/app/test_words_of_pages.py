"""What is refused below a page says nothing in words of the command line: derived from every sentence there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import controls, shell
from testkit.missing_extensions import needs_every
from tests.paths import ROOT

ROOMS = (
    *("agreement", "annotation_schemas", "db", "domain", "exporters", "importers", "inference", "media"),
    *("net", "reports", "workflow", "app/agreement", "app/judging", "app/running", "app/views", "app/workbench"),
)


def modules(room: str) -> list[Path]:
    """The modules of a room; tests of extensions are left out."""
    return [path for path in sorted((ROOT / room).rglob("*.py")) if room != "extensions" or "tests" not in path.parts]


FLAG = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")
NOT_ON_PAGES = {
    # No page names a stage or a place for an export, looks at batches, or keeps a rule.
    ("workflow/files/export.py", "--out"),
    ("workflow/files/export.py", "--stage"),
    ("extensions/batch/batch_command.py", "--again"),
    ("extensions/batch/batch_command.py", "--batch"),
    ("extensions/calibration/report/ruling.py", "--rule"),
    # A server is restored by a command alone.
    ("extensions/backup/restoring.py", "--media"),
    # Calibration's page measures every criterion on its own scale.
    ("extensions/calibration/report/study.py", "--criterion"),
    ("extensions/calibration/report/study.py", "--scale"),
    # A command of core with an option that an extension reads.
    ("domain/shipped_extensions.py", "--mail"),
    # What other programs are started with, and programs that are started by a command alone.
    ("extensions/batch/execution.py", "--allowed-local-media-path"),
    ("extensions/batch/execution.py", "--revision"),
    ("extensions/batch/executors.py", "--executor"),
    ("extensions/batch/executors.py", "--gres"),
    ("extensions/batch/executors.py", "--shard"),
    ("extensions/batch/shard_runs.py", "--shards"),
    ("extensions/batch/execution.py", "--head"),
    ("extensions/batch/execution.py", "--served-model-name"),
    ("extensions/batch/executors.py", "--array"),
    ("extensions/batch/executors.py", "--job-name"),
    ("extensions/batch/executors.py", "--output"),
    ("extensions/local_models/fit.py", "--query-gpu"),
    ("extensions/local_models/weights.py", "--index-url"),
    ("extensions/local_models/fit.py", "--format"),
    ("extensions/labelstudio/serving/sync_process.py", "--server"),
    ("extensions/labelstudio/serving/pictures.py", "--media"),
    ("extensions/labelstudio/serving/bridging.py", "--media-from"),  # names the option that was given
    # A reason in results, which the page says in its own words.
    ("extensions/drafting/pipeline_step.py", "--limit"),
    ("extensions/drafting/proposal_run.py", "--limit"),
    # Colors in a style.
    ("reports/rendering.py", "--grid"),
    ("reports/rendering.py", "--ink"),
    ("reports/rendering.py", "--muted"),
    # What a browser is started with.
    ("extensions/calibration/report/pdf.py", "--disable-background-networking"),
    ("extensions/calibration/report/pdf.py", "--disable-gpu"),
    ("extensions/calibration/report/pdf.py", "--headless"),
    ("extensions/calibration/report/pdf.py", "--no-first-run"),
    ("extensions/calibration/report/pdf.py", "--no-pdf-header-footer"),
    ("extensions/calibration/report/pdf.py", "--no-sandbox"),
    ("extensions/calibration/report/pdf.py", "--print-to-pdf"),
    ("extensions/calibration/report/pdf.py", "--user-data-dir"),
    *(
        (path, "--comparisons")
        for path in ("domain/shipped_extensions.py", "extensions/preferences/judge_comparisons.py")
    ),
    *((path, "--side-by-side") for path in ("domain/shipped_extensions.py", "extensions/side_by_side/section.py")),
    ("domain/shipped_extensions.py", "--group-models-by"),
    ("extensions/model_groups/section.py", "--group-models-by"),
    ("extensions/paper_tables/table_numbers.py", "--group-models-by"),
}
"""Options in texts that no page shows, each with its file."""


def texts(path: Path) -> Iterator[str]:
    """Every text in a file of code, but what stands there to explain it; what is filled in is three dots."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    # what people may type to find a page is in their words
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "words"}
    inside |= {
        id(node.args[1])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Action" and len(node.args) > 1
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


NOT_OURS = re.compile(
    r"\b(policy|policies|users?|labell?ers?|reviewers?|evaluators?|hidden gold|error types?|error analysis|consensus"
    r"|ground truth|set aside|claims|abilit(?:y|ies)|drop(?:s|ped)? items?|items? (?:is|are) dropped)\b",
    re.IGNORECASE,
)
"""Words for things that the glossary calls otherwise."""
MEANT = {
    ("extensions/labelstudio/client.py", "users"): "an address of Label Studio's interface",
    ("extensions/labelstudio/objects.py", "user"): "what Label Studio calls an account",
    ("app/running/plan.py", "user"): "a turn of a conversation with a model, as its template has it",
    ("extensions/own_templates/published_prompts.py", "user"): "the same",
    ("extensions/local_models/families.py", "user"): "the same",
    ("extensions/local_models/prompts.py", "user"): "the same",
    ("extensions/notices/settings.py", "user"): "an account of a mail server",
    ("extensions/aggregation/vote_aggregation.py", "ability"): "of a rater, as GLAD calls it",
    ("extensions/qualification/schema_check.py", "reviewers"): "a key of the schema",
    ("app/serving/front_server.py", "policy"): "in the name of an HTTP header",
}


@pytest.mark.thorough
def test_pages_commands_mails_and_notices_use_the_words_of_the_glossary() -> None:
    """Pages, the help and the lines of commands, mails and notices, and the sentences from below that all of them say;
    what explains a command in its docstring is its help."""
    found = set()
    for room in ("app", "workflow", "exporters", "extensions", "importers"):
        for path in modules(room):
            helped = [
                ast.get_docstring(each) or ""
                for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(each, ast.FunctionDef) and each.decorator_list and "commands" in path.parts
            ]
            for text in [*(text for text in texts(path) if " " in text.strip()), *helped]:
                found |= {(path.relative_to(ROOT).as_posix(), word.lower()) for word in NOT_OURS.findall(text)}
    assert found - set(MEANT) == set(), "docs/glossary.md has the word"
    here = {row for row in MEANT if not row[0].startswith("extensions/") or (ROOT / row[0]).parent.exists()}
    assert found == here, "some of these are gone"


def is_program(path: Path) -> bool:
    """Whether a module has commands, or is a program with options of its own."""
    return "commands" in path.parts or "ArgumentParser" in path.read_text(encoding="utf-8")


@pytest.mark.thorough
def test_no_option_of_a_command_is_told_on_a_page() -> None:
    left = set()
    for room in (*ROOMS, "extensions"):
        for path in (path for path in modules(room) if room != "extensions" or not is_program(path)):
            for text in texts(path):
                said = re.sub("`touchstone [^`]*`", "", shell.on_page(text))
                left |= {(path.relative_to(ROOT).as_posix(), flag) for flag in FLAG.findall(said)}
    assert left - NOT_ON_PAGES == set(), "say in app.controls.CONTROLS what these are on a page"
    assert left == NOT_ON_PAGES, "some of these are gone"


@needs_every("pages")
def test_every_control_that_is_named_is_there() -> None:
    """By its label on some page, and every option by the name that a command knows."""
    drawn = [path for room in ("app", "extensions") for path in (ROOT / room).rglob("*.py")]
    pages = {text for path in drawn if path.name != "controls.py" for text in texts(path)}
    commands = "\n".join(path.read_text(encoding="utf-8") for path in drawn if "commands" in path.parts)
    labels = {found for words in controls.CONTROLS.values() for found in re.findall("“([^”]+)”", words)}
    assert len(labels) > 10
    assert {label for label in labels if not any(text.startswith(label) for text in pages)} == set()
    flags = {flag for words in controls.CONTROLS for flag in FLAG.findall(words)}
    known = {flag for flag in flags if f'"{flag}"' in commands or f"{flag[2:].replace('-', '_')}:" in commands}
    assert flags == known


def test_whole_commands_stay_and_saying_it_twice_changes_nothing() -> None:
    words = "Say --set rater=NAME, or `touchstone judge run --attacks`; --skip-bad alone; --ink."
    once = shell.on_page(words)
    assert once == "Say “Default rater”, or `touchstone judge run --attacks`; “Skip bad rows” alone; --ink."
    assert shell.on_page(once) == once
