"""Seed tasks, subtasks in the order of what waits for what, templates; out of a file, and what is wrong with one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from extensions.drafting.seed_task_file import read_plan
from extensions.drafting.seed_tasks import SeedTask, Subtask, chosen, situations

TEA = """
tasks:
  - task: make tea
    dimension: home
    subtasks:
      - {name: pour, after: [boil water, fetch a cup]}
      - boil water
      - fetch a cup
      - {name: serve, after: [pour]}
  - task: cross the road
templates:
  - "{task}: {subtask} after {before}, {else}"
  - Say what comes next.
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "tasks.yaml"
    path.write_text(text)
    return path


def test_each_subtask_knows_all_that_is_done_before_it(tmp_path: Path) -> None:
    found = read_plan(written(tmp_path, TEA), ["home", "road"]).situations
    assert len(found) == (4 + 1) * 2
    first = {each.subtask: each for each in found[::2]}
    # by the graph: the two leaves wait for nothing; pour for both; serve for pour, and through it for both
    assert {name: set(each.before) for name, each in first.items()} == {
        "boil water": set(),
        "fetch a cup": set(),
        "pour": {"boil water", "fetch a cup"},
        "serve": {"boil water", "fetch a cup", "pour"},
        "cross the road": set(),
    }
    assert first["serve"].before[-1] == "pour"
    assert [each.dimension for each in found] == ["home"] * 8 + [None] * 2
    assert first["boil water"].text == "make tea: boil water after nothing yet, {else}"
    assert first["pour"].text == "make tea: pour after boil water; fetch a cup, {else}"
    assert found[-1].text == "Say what comes next."


def test_names_with_braces_are_put_in_as_they_are() -> None:
    (one,) = situations([SeedTask("{subtask}", (Subtask("{before}"),))], ["{task}/{subtask}"])
    assert one.text == "{subtask}/{before}"
    assert situations([SeedTask("t")], [])[0].text.startswith("The task is: t. What comes next in it is: t.")


def test_an_image_gets_a_situation_by_itself_and_all_are_used() -> None:
    every = situations([SeedTask("a", dimension="x"), SeedTask("b", dimension="y"), SeedTask("c")], ())
    images = [f"image {n}" for n in range(300)]
    drawn = {name: chosen(every, dimension=None, seed=1, about=name) for name in images}
    counts = Counter(each.task for each in drawn.values() if each is not None)
    # 300 draws of three: 100 each, with a standard deviation of 8.2; 60 to 140 is within five of them
    assert all(60 <= counts[name] <= 140 for name in "abc")
    assert {chosen(every, dimension="x", seed=1, about=name).task for name in images} == {"a", "c"}  # type: ignore[union-attr]
    assert chosen(every[:2], dimension="z", seed=1, about="i") is None
    again = [chosen(every, dimension=None, seed=1, about=name) for name in reversed(images)]
    assert again == [drawn[name] for name in reversed(images)]
    assert [chosen(every, dimension=None, seed=2, about=name) for name in images] != list(drawn.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tasks: []", "at least 1"),
        ("templates: [x]", "tasks"),
        ("tasks:\n  - task: a\n    subtasks: [b, b]", "line 2: the task 'a' has the subtask 'b' twice."),
        (
            "tasks:\n  - task: a\n    subtasks: [{name: b, after: [c]}]",
            "after 'c', but 'c' is not a subtask of this task.",
        ),
        (
            "tasks:\n  - task: x\n  - task: a\n    subtasks: [{name: b, after: [c]}, {name: c, after: [b]}]",
            "line 3: the task 'a' has subtasks that depend on each other in a cycle",
        ),
        ("tasks: [{task: a, dimension: sea}]", "names the unknown dimension 'sea'. Choose one of home."),
        ("tasks: [{task: a, sub: [b]}]", "sub"),
        ("tasks: [{task: a}]\ntemplates: [x, ' ']", "template 2 is empty."),
        ("tasks: [{task: a}", "tasks.yaml:1: invalid YAML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidFileError, match=r"tasks\.yaml") as refused:
        read_plan(written(tmp_path, text), ["home"])
    assert said in str(refused.value)


def test_a_file_of_too_many_situations_is_refused(tmp_path: Path) -> None:
    names = ", ".join(f"s{n}" for n in range(400))
    text = f"tasks: [{{task: a, subtasks: [{names}]}}]\ntemplates: [{', '.join(f't{n}' for n in range(251))}]"
    with pytest.raises(InvalidFileError, match="produces 100,400 situations"):
        read_plan(written(tmp_path, text), ["home"])
