"""Tune a local model on a release: LoRA, and a loss that sets right answers apart from wrong ones.

    python -m extensions.local_models.tuning RELEASE --split train --model FOLDER --out tuned

It reads ``preference_pairs/<split>.jsonl`` of a release. Each item is asked as its conversation stands there, and

    L = L_ft + w * max(0, s_neg - s_pos),   L_ft = -sum of log P of the right answer's tokens,

where s is the mean of log P of an answer's tokens, and the wrong answer is drawn anew each time (EgoPlan-Bench, 5.3,
equations 1 to 4; ``--contrast 0`` leaves the second part out). Low-rank parts (Hu et al. 2021) are learnt in the linear
layers of the language model alone. ``OUT/adapter`` has these parts, ``OUT/model`` the whole model with them in it: name
that folder in the description of a model. Printed last is one JSON object: for how many items the right answer has a
larger s than every wrong one, before and after.

It is a recipe to begin with, for one machine and one item at a time; it needs the extras ``models`` and ``tuning``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from domain.errors import InvalidMediaError, ModelError
from domain.installation import install_hint
from domain.runs import Picture, Question
from extensions.local_models.loading import LoadedModel, load
from extensions.local_models.prompts import CannotEncode
from extensions.local_models.ranking import Ranker
from inference.options import CannotRank
from inference.spec import ModelPermissions, ModelSpec
from media import clips

TAG = re.compile(r"<(image|video)>")


@dataclass(frozen=True)
class Lesson:
    """An item to learn from. The first of the question's options is right, the others are wrong."""

    item: str
    question: Question


class TuningError(Exception):
    """A sentence that says what cannot be tuned on, and why."""


def lessons(release: Path, split: str, work: Path, *, frames: int) -> Iterator[Lesson]:
    """The items of a split, in their order; frames of clips are written into ``work``.

    Raises
    ------
    TuningError
        The release has no such file, a line of it cannot be read, or a picture is not there.
    """
    path = release / "preference_pairs" / f"{split}.jsonl"
    if not path.is_file():
        raise TuningError(
            f"{path} does not exist. Create the release with --formats preference_pairs, and check the split's name."
        )
    by_item: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = json.loads(line)
            by_item.setdefault(record["item"], []).append(record)
        except (ValueError, KeyError, TypeError) as error:
            raise TuningError(f"Line {number} of {path} is not in the format preference_pairs: {error}") from error
    for name, records in by_item.items():
        first = records[0]
        options = [first["chosen"]["value"], *(record["rejected"]["value"] for record in records)]
        parts = _parts(release, first, work, frames)
        question = Question(0, name, "", tuple(parts), options=tuple(dict.fromkeys(options)))
        yield Lesson(name, question)


def _parts(release: Path, record: dict[str, Any], work: Path, frames: int) -> Iterator[str | Picture]:
    """What the person says, with the pictures where their marks stand."""
    files = {kind: _listed(record.get(kind)) for kind in ("image", "video")}
    words = record["conversations"][0]["value"]
    at = 0
    for number, mark in enumerate(TAG.finditer(words)):
        if words[at : mark.start()]:
            yield words[at : mark.start()]
        at = mark.end()
        if not files[mark[1]]:
            raise TuningError(
                f"{record['item']}: the text has more picture placeholders than the item has pictures. Make the "
                "release again."
            )
        path = release / files[mark[1]].pop(0)
        if mark[1] == "image":
            yield _picture(record["item"], path)
        else:
            yield from _frames(record["item"], path, work, frames, number)
    if words[at:]:
        yield words[at:]


def _listed(value: str | list[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _picture(item: str, path: Path, **more: Any) -> Picture:
    if not path.is_file():
        raise TuningError(
            f"{item}: {path} does not exist. Create the release with --media to include images and clips."
        )
    return Picture(path, hashlib.sha256(path.read_bytes()).hexdigest(), **more)


def _frames(item: str, path: Path, work: Path, n: int, number: int) -> Iterator[Picture]:
    """So many frames of a clip, from the middle of as many equal parts of it."""
    if not path.is_file():
        raise TuningError(
            f"{item}: {path} does not exist. Create the release with --media to include images and clips."
        )
    length = clips.timing(path).duration
    moments = [length * (2 * place + 1) / (2 * n) for place in range(n)]
    folder = work / hashlib.sha256(str(path).encode()).hexdigest()
    folder.mkdir(exist_ok=True)
    for place, (moment, image) in enumerate(zip(moments, clips.frames_at(path, moments), strict=True)):
        image.save(out := folder / f"{place}.png")
        yield _picture(item, out, clip=number, time=moment)


def with_lora(loaded: LoadedModel, *, rank: int) -> Any:
    """The model with parts to learn in the linear layers of its language model; nothing else of it is learnt."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise TuningError(
            f"Tuning needs {error.name}, which is not installed. {install_hint('models', 'tuning')}"
        ) from error
    import torch

    decoder = loaded.model.get_decoder()
    within = {id(module) for module in decoder.modules()}
    names = [
        name
        for name, module in loaded.model.named_modules()
        if isinstance(module, torch.nn.Linear) and id(module) in within and not name.endswith("lm_head")
    ]
    return get_peft_model(loaded.model, LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=names))


def loss_of(ranker: Ranker, lesson: Lesson, wrong: str | None, *, contrast: float) -> Any:
    """The loss of an item with one of its wrong answers; None: of the right one alone."""
    import torch

    right = lesson.question.options[0]
    options = (right,) if wrong is None else (right, wrong)
    values = ranker.learnt(replace(lesson.question, options=options))
    loss = -values[0].sum()
    if wrong is not None:
        loss = loss + contrast * torch.clamp(values[1].mean() - values[0].mean(), min=0)
    return loss


def right(ranker: Ranker, known: Sequence[Lesson]) -> int:
    """For how many items the right answer has a larger mean log-probability than every wrong one."""
    n_right = 0
    for lesson in known:
        ranking, _, _ = ranker.rank(lesson.question)
        n_right += ranking.winner.text == lesson.question.options[0]
    return n_right


def tune(given: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Learn, store what was learnt, and say what came of it."""
    import torch

    torch.manual_seed(given.seed)
    drawn = random.Random(given.seed)
    known = list(lessons(given.release, given.split, work, frames=given.frames))
    if not known:
        raise TuningError(f"The split {given.split} has no items to learn from. Choose another split.")
    spec = ModelSpec(
        name="tuned", adapter=given.adapter, modality=given.modality, model=str(given.model), dtype=given.dtype
    )
    loaded = load(spec, ModelPermissions())
    ranker = Ranker(loaded, score="mean_logprob")
    before = right(ranker, known)
    model = with_lora(loaded, rank=given.rank)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=given.rate)
    losses = []
    for _ in range(given.epochs):
        drawn.shuffle(known)
        total = 0.0
        for at, lesson in enumerate(known):
            wrong = drawn.choice(lesson.question.options[1:]) if given.contrast else None
            loss = loss_of(ranker, lesson, wrong, contrast=given.contrast)
            (loss / given.batch).backward()
            total += float(loss.detach())
            if (at + 1) % given.batch == 0 or at + 1 == len(known):
                optimizer.step()
                optimizer.zero_grad()
        losses.append(round(total / len(known), 6))
        print(f"loss {losses[-1]}", file=sys.stderr, flush=True)
    model.eval()
    after = right(ranker, known)
    model.save_pretrained(str(given.out / "adapter"))
    whole = model.merge_and_unload()
    whole.save_pretrained(str(given.out / "model"))
    loaded.processor.save_pretrained(str(given.out / "model"))
    return {
        "items": len(known),
        "learnt": sum(parameter.numel() for parameter in learning),
        "loss": losses,
        "right_before": before,
        "right_after": after,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Tune, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", type=Path, help="the folder of a release with preference_pairs")
    parser.add_argument("--split", default="train")
    parser.add_argument("--model", type=Path, required=True, help="the folder of a local model")
    parser.add_argument("--out", type=Path, required=True, help="a new folder")
    parser.add_argument("--adapter", default="chat", help="accepts the same values as this key in a model description")
    parser.add_argument(
        "--modality", default="images", help="accepts the same values as this key in a model description"
    )
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16, help="items per training step")
    parser.add_argument("--rank", type=int, default=8, help="rank of the trained weights")
    parser.add_argument("--rate", type=float, default=1e-4, help="of learning")
    parser.add_argument("--contrast", type=float, default=1.0, help="weight of the contrast term in the loss")
    parser.add_argument("--frames", type=int, default=8, help="of each clip")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    if given.out.exists():
        print(f"{given.out} already exists. Name a new folder, or delete the old folder.", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="touchstone-tuning-") as work:
            print(json.dumps(tune(given, Path(work))))
    except (TuningError, ModelError, InvalidMediaError, CannotEncode, CannotRank) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
