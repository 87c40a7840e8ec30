"""The recipe for tuning, over a release as it is written and with a tiny model as it is loaded."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from media import clips
from testkit.missing_extensions import needs
from tests.exporters.releases import Folder, plan, write

if TYPE_CHECKING:
    from testkit.tiny import Shelf

# Looked for, not imported: collecting tests takes seconds less.
pytestmark = [
    pytest.mark.slow,
    needs("formats", "preference_pairs"),
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("torch", "transformers", "peft")),
        reason="the extras `models` and `tuning` are not installed",
    ),
]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two items with a clip of ten frames and an image, three wrong options each."""
    folder = Folder(tmp_path / "release")
    _, released = plan(folder, tmp_path)
    write("preference_pairs", released, folder)
    for number, path in enumerate(sorted(folder.root.rglob("*.webm"))):
        path.unlink()
        colours = [(20 * at, 90 * (number % 3), 255 - 20 * at) for at in range(10)]
        clips.write([Image.new("RGB", (64, 48), each) for each in colours], out=path, frames_per_second=5)
    return folder.root


def tuned(capsys: pytest.CaptureFixture[str], release: Path, model: Path, out: Path, *more: str) -> dict[str, Any]:
    """What the recipe prints."""
    from extensions.local_models.tuning import main

    given = [str(release), "--model", str(model), "--out", str(out), "--frames", "2", "--batch", "2", "--rate", "0.01"]
    assert main([*given, *more]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_right_answers_are_learnt_and_a_run_ranks_with_what_was_learnt(
    release: Path, tmp_path: Path, tiny_models: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    from extensions.local_models.loading import load
    from extensions.local_models.ranking import Ranker
    from extensions.local_models.tuning import lessons, right
    from inference.spec import ModelPermissions, ModelSpec

    model = tiny_models.folder("llava_onevision")
    done = tuned(capsys, release, model, tmp_path / "tuned", "--epochs", "12")
    assert done["items"] == done["right_after"] == 2
    assert done["loss"][-1] < done["loss"][0] / 2
    assert (tmp_path / "tuned" / "adapter" / "adapter_config.json").is_file()
    frames = tmp_path / "frames"
    frames.mkdir()
    known = list(lessons(release, "train", frames, frames=2))
    assert [(len(each.question.pictures), len(each.question.options)) for each in known] == [(3, 4)] * 2
    spec = ModelSpec(name="tuned", adapter="chat", modality="images", model=str(tmp_path / "tuned" / "model"))
    assert right(Ranker(load(spec, ModelPermissions())), known) == 2
    again = tuned(capsys, release, model, tmp_path / "plain", "--epochs", "1", "--contrast", "0")
    assert again["loss"][0] <= done["loss"][0], "without the second part the loss is never larger"


def test_the_loss_is_that_of_the_scores_by_which_options_are_ranked(
    release: Path, tmp_path: Path, tiny_models: Shelf
) -> None:
    from extensions.local_models.loading import load
    from extensions.local_models.ranking import Ranker
    from extensions.local_models.tuning import lessons, loss_of
    from inference.spec import ModelPermissions, ModelSpec

    model = str(tiny_models.folder("llava_onevision"))
    ranker = Ranker(load(ModelSpec(name="tiny", adapter="chat", modality="images", model=model), ModelPermissions()))
    lesson = next(lessons(release, "train", tmp_path, frames=2))
    ranking, _, _ = ranker.rank(lesson.question)
    scored = {each.text: each.logprobs for each in ranking.options}
    right, *wrong = lesson.question.options
    mean = {text: sum(each) / len(each) for text, each in scored.items()}

    def worked_out(text: str, other: str, weight: float) -> float:
        return -sum(scored[text]) + weight * max(0.0, mean[other] - mean[text])

    for each in wrong:
        for text, other in ((right, each), (each, right)):
            pair = replace(lesson, question=replace(lesson.question, options=(text, other)))
            loss = loss_of(ranker, pair, other, contrast=3).detach()
            assert float(loss) == pytest.approx(worked_out(text, other, 3), rel=1e-4)
            alone = loss_of(ranker, pair, None, contrast=3).detach()
            assert float(alone) == pytest.approx(-sum(scored[text]), rel=1e-4)


def test_what_cannot_be_tuned_on_is_said_in_a_sentence(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from extensions.local_models.tuning import main

    def told(*more: str) -> str:
        assert main([str(release), "--model", "nowhere/at/all", "--out", str(tmp_path / "out"), *more]) == 2
        return capsys.readouterr().err

    assert "The folder nowhere/at/all does not exist. Check the path." in told()
    assert "--formats preference_pairs" in told("--split", "dev")
    image = next(path for path in release.rglob("*.png"))
    held = image.read_bytes()
    image.unlink()
    assert f"{image} does not exist" in told()
    image.write_bytes(held)
    path = release / "preference_pairs" / "train.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    assert f"Line 6 of {path} is not in the format preference_pairs" in told()
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    assert "already exists" in told()
