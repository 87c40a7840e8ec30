"""Options ranked from a prompt that is read once, next to a whole pass per option; batches; what a run costs.

    .venv/bin/python benchmarks/ranking.py [--quick] [--only PART ...] [--rounds N]

A LLaVA with random weights of about 100 million parameters is built, saved, and opened by the code that opens
anyone's checkpoint. The naive way is written here and shares nothing with the package: the processor is called with
prompt and option together, and everything goes through the model, once per option. Both get the same questions in
turns on one thread; the processor time of the best round counts.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from domain.runs import Attempt, Picture, Question
from inference.opening import open_answerer
from inference.spec import Generation, ModelSpec
from testkit import tiny
from testkit.serving import touchstone

PARTS = ("ranking", "generation", "runner")
GOALS = {
    "ratio_4_options": 3.5,
    "ratio_20_options": 12,
    "max_abs_difference": 1e-4,
    "runner_overhead_percent": 5,
}
"""At least the ratios, at most the others."""
KEYS = (*GOALS, "batched_generation_ratio")
VERBS = (
    "open",
    "close",
    "take",
    "put down",
    "cut",
    "wash",
    "pour",
    "stir",
    "turn on",
    "peel",
    "dry",
    "move",
    "mix",
    "wipe",
)
NOUNS = (
    "drawer",
    "cupboard",
    "knife",
    "onion",
    "tap",
    "pan",
    "oil",
    "plate",
    "sponge",
    "fridge",
    "bowl",
    "spoon",
    "board",
)
ASKED = "My current task is to make a salad. What should be my next action?"


@dataclass(frozen=True)
class Size:
    """How large the model is."""

    hidden: int = 512
    layers: int = 8
    vision_layers: int = 12
    image: int = 336
    vocabulary: int = 32000
    questions: int = 8
    new_tokens: int = 16
    items: int = 12
    rounds: int = 3


QUICK = Size(items=6, rounds=1)
"""The same model, since ratios and shares depend on it; each way takes one turn."""


# The model.


def tokenizer_of(vocabulary: int) -> Any:
    """One that has a word for every token of the model; all but the first few hundred are made up."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    told = json.loads(tiny.tokenizer("<image>").backend_tokenizer.to_str())
    words = told["model"]["vocab"]
    words.update({f"Ġw{number}": number for number in range(len(words), vocabulary)})
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(told)),
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        padding_side="left",
        additional_special_tokens=["<image>"],
    )


def build(folder: Path, size: Size) -> int:
    """A LLaVA-1.5 with random weights as a checkpoint in that folder; how many parameters it has."""
    import torch
    from transformers import CLIPImageProcessorPil, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor

    tokenizer = tokenizer_of(size.vocabulary)
    heads = size.hidden // 64
    text = {
        "model_type": "llama",
        "vocab_size": size.vocabulary,
        "hidden_size": size.hidden,
        "intermediate_size": int(size.hidden * 2.75),
        "num_hidden_layers": size.layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "max_position_embeddings": 16384,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "initializer_range": 0.06,  # wide, so that a wrong mask or position shows
    }
    vision = {
        "model_type": "clip_vision_model",
        "hidden_size": size.hidden,
        "intermediate_size": size.hidden * 4,
        "num_hidden_layers": size.vision_layers,
        "num_attention_heads": heads,
        "image_size": size.image,
        "patch_size": 14,
        "projection_dim": size.hidden,
    }
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=tokenizer.convert_tokens_to_ids("<image>")
    )
    torch.manual_seed(0)
    model = LlavaForConditionalGeneration(config).eval()
    square = {"height": size.image, "width": size.image}
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": size.image}, crop_size=square),
        tokenizer,
        patch_size=14,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
        chat_template=tiny.template("<image>"),
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return sum(weights.numel() for weights in model.parameters())


def spec_of(folder: Path, size: Size, batch: int = 1) -> ModelSpec:
    """How the checkpoint is asked."""
    generation = Generation(max_new_tokens=size.new_tokens, min_new_tokens=size.new_tokens)
    return ModelSpec(
        name="random-llava",
        adapter="chat",
        model=str(folder),
        dtype="float32",
        device="cpu",
        batch_size=batch,
        generation=generation,
    )


# Questions.


def pictures(folder: Path, size: Size, number: int) -> list[Picture]:
    """Different pictures a third wider than the model's square."""
    found = []
    for place in range(number):
        path = tiny.picture(folder / f"{place}.png", seed=place, size=(size.image * 4 // 3, size.image))
        found.append(Picture(path, sha256=f"{place}"))
    return found


def options(number: int) -> tuple[str, ...]:
    """So many different actions."""
    dice = random.Random(number)
    return tuple(dice.sample([f"{verb} the {noun}" for verb in VERBS for noun in NOUNS], number))


# Measuring.


def in_turns(ways: Mapping[str, Callable[[], Any]], rounds: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The best processor time of each way, and what it gave. They take turns: what else runs hits all."""
    best: dict[str, float] = {}
    gave: dict[str, Any] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            begun = time.process_time()
            gave[name] = way()
            spent = time.process_time() - begun
            best[name] = min(best.get(name, spent), spent)
    return best, gave


# Part one: ranking.


def naive(model: Any, processor: Any, question: Question) -> list[list[float]]:
    """The log-probabilities of each option's tokens, by a whole pass for each."""
    import torch
    from PIL import Image

    prompt = f"USER: <image>\n{ASKED} ASSISTANT:"
    found = []
    with torch.inference_mode():
        for option in question.options:
            images = [Image.open(picture.path).convert("RGB") for picture in question.pictures]
            given = processor(images=images, text=[f"{prompt} {option}"], return_tensors="pt")
            alone = processor.tokenizer([prompt, f"{prompt} {option}"], add_special_tokens=False)["input_ids"]
            tokens = len(alone[1]) - len(alone[0])
            logits = model(**given, use_cache=False).logits[0, -tokens - 1 : -1].double()
            wanted = given["input_ids"][0, -tokens:]
            said = logits.gather(1, wanted[:, None])[:, 0] - torch.logsumexp(logits, 1)
            found.append([float(each) for each in said])
    return found


def ranking(folder: Path, size: Size, shown: Sequence[Picture], numbers: Sequence[int] = (4, 20)) -> dict[str, Any]:
    """Our ranking next to the naive way, for so many options."""
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    model = LlavaForConditionalGeneration.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    ranker = open_answerer(spec_of(folder, size), strategy="rank_options")
    figures: dict[str, Any] = {}
    difference = 0.0
    for number in numbers:
        asked = Question(1, "1", "planning", (shown[0], ASKED), options=options(number))
        ways = {
            "naive": lambda asked=asked: naive(model, processor, asked),
            "ours": lambda asked=asked: answers(ranker, [asked])[0],
        }
        best, gave = in_turns(ways, size.rounds)
        kept = gave["ours"].detail["options"]
        pairs = [
            (a, b)
            for one, two in zip(gave["naive"], kept, strict=True)
            for a, b in zip(one, two["logprobs"], strict=True)
        ]
        difference = max(difference, *(abs(a - b) for a, b in pairs))
        figures[f"ratio_{number}_options"] = round(best["naive"] / best["ours"], 2)
        figures[f"seconds_{number}_options"] = {name: round(spent, 3) for name, spent in best.items()}
        figures["prompt_tokens"] = gave["ours"].tokens_in
        machine.log(f"{number} options: {figures[f'ratio_{number}_options']} times as fast as a pass per option")
    ranker.close()
    figures["max_abs_difference"] = difference
    return figures


def answers(answerer: Any, questions: Sequence[Question]) -> list[Attempt]:
    """The attempts; every one must have given an answer."""
    found: list[Attempt] = []
    answerer.answer(questions, tell=found.append, stop=lambda: False)
    wrong = [each.error for each in found if not each.text]
    if wrong or len(found) != len(questions):
        raise SystemExit(f"Not everything was answered: {wrong[:3]}")
    return found


# Part two: batches.


def generation(folder: Path, size: Size, shown: Sequence[Picture]) -> dict[str, Any]:
    """Questions of different lengths one by one and eight at once, through our own code both times."""
    asked = [
        Question(place, str(place), "planning", (picture, "Please look closely. " * (place % 4), ASKED))
        for place, picture in enumerate(shown)
    ]
    single, batched = (open_answerer(spec_of(folder, size, batch), strategy="generate") for batch in (1, 8))
    best, gave = in_turns(
        {"one_by_one": lambda: answers(single, asked), "eight_at_once": lambda: answers(batched, asked)}, size.rounds
    )
    texts = {
        name: [attempt.text for attempt in sorted(found, key=lambda each: each.unit_id)] for name, found in gave.items()
    }
    for answerer in (single, batched):
        answerer.close()
    return {
        "batched_generation_ratio": round(best["one_by_one"] / best["eight_at_once"], 2),
        "batched_generation_same_answers": sum(a == b for a, b in zip(*texts.values(), strict=True)) / len(asked),
        "seconds_generation": {name: round(spent, 3) for name, spent in best.items()},
    }


# Part three: what a run costs next to its model.


class Open:
    """A model that stays open when a run is done with it."""

    def __init__(self, answerer: Any) -> None:
        self.answerer = answerer

    @property
    def about(self) -> Mapping[str, Any]:
        return dict(self.answerer.about)

    def answer(self, questions: Sequence[Question], **more: Any) -> None:
        self.answerer.answer(questions, **more)

    def close(self) -> None:
        """Kept for the next round."""


def bare(model: Any, processor: Any, questions: Sequence[Question], size: Size) -> list[str]:
    """What someone would write who needs the answers once, and keeps nothing."""
    import torch
    from PIL import Image

    found = []
    for question in questions:
        parts = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in question.parts
        ]
        text = processor.apply_chat_template(
            [{"role": "user", "content": parts}], add_generation_prompt=True, tokenize=False
        )
        images = [Image.open(picture.path).convert("RGB") for picture in question.pictures]
        inputs = processor(images=images or None, text=[text], return_tensors="pt")
        with torch.inference_mode():
            tokens = model.generate(
                **inputs, max_new_tokens=size.new_tokens, min_new_tokens=size.new_tokens, do_sample=False
            )
        answer = tokens[0, inputs["input_ids"].shape[1] :]
        found.append(processor.tokenizer.decode(answer, skip_special_tokens=True).strip())
    return found


def runner(folder: Path, size: Size, home: Path) -> dict[str, Any]:
    """A run over items of the demo project, every attempt kept in SQLite, next to the bare loop over the same items."""
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    from app.services import open_resources
    from domain.settings import settings_from
    from workflow.access.projects import access_to
    from workflow.runs import run_start, run_views, worker
    from workflow.runs.model_plans import plan_for

    machine.log("making the demo project")
    made = touchstone("demo", "--no-serve", home=home)
    if made.returncode:
        raise SystemExit(f"touchstone demo failed:\n{made.stdout}{made.stderr}")
    shared = open_resources(settings_from({"TOUCHSTONE_HOME": str(home)}, Path.cwd()))
    spec = spec_of(folder, size)
    with shared.store.read() as session:
        schema = access_to(session, person=None, project="demo").schema
    plan = plan_for(schema, spec, limit=size.items)
    kept = Open(open_answerer(spec, strategy="generate"))
    real = worker.means_of(shared.store, shared.media, shared.settings)
    questions: list[Question] = []

    class Watched:
        """The real maker of questions, which says what it made."""

        def __init__(self, asker: Any) -> None:
            self.asker = asker

        def ask(self, item_ids: Sequence[int]) -> list[Question]:
            made: list[Question] = self.asker.ask(item_ids)
            questions.extend(made)
            return made

    means = worker.Means(lambda spec, plan: kept, lambda row, spec, plan: Watched(real.ask(row, spec, plan)))

    def through_runner() -> float:
        run = run_start.start(shared.store, by=None, project="demo", spec=spec, plan=plan)
        questions.clear()
        begun = time.process_time()
        state = worker.work(shared.store, run, means=means)
        spent = time.process_time() - begun
        view = run_views.view(shared.store, by=None, run=run)
        if view.answered != size.items:
            raise SystemExit(f"The run is {state.value} with {view.answered} of {size.items} answers.")
        stored.append({view.item: view.attempt.text for view in run_views.attempts_of(shared.store, by=None, run=run)})
        return spent

    model = LlavaForConditionalGeneration.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    stored: list[dict[str, str]] = []
    ours, theirs = [], []
    for _ in range(max(2, size.rounds)):  # the first also fills the folder of prepared pictures
        ours.append(through_runner())
        begun = time.process_time()
        said = bare(model, processor, questions, size)
        theirs.append(time.process_time() - begun)
    texts = dict(zip((question.name for question in questions), said, strict=True))
    shared.store.close()
    return {
        "runner_overhead_percent": round(100 * (min(ours) / min(theirs) - 1), 2),
        "runner_overhead_ms_per_item": round(1000 * (min(ours) - min(theirs)) / size.items, 1),
        "runner_same_answers": sum(stored[-1].get(name, "").strip() == text for name, text in texts.items())
        / size.items,
        "seconds_run": {"runner": [round(each, 3) for each in ours], "bare": [round(each, 3) for each in theirs]},
    }


def main() -> None:
    """Run the parts and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer turns of the same model")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, help="so often each way takes its turn")
    given = parser.parse_args()
    size = QUICK if given.quick else Size()
    if given.rounds:
        size = replace(size, rounds=given.rounds)

    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    busy = machine.busy_percent()
    figures: dict[str, Any] = {key: None for key in KEYS}
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept) / "random-llava"
        parameters = build(folder, size)
        machine.log(f"a LLaVA of {parameters / 1e6:.1f} million parameters")
        shown = pictures(Path(kept), size, size.questions)
        if "ranking" in given.only:
            figures |= ranking(folder, size, shown)
        if "generation" in given.only:
            figures |= generation(folder, size, shown)
        if "runner" in given.only:
            figures |= runner(folder, size, Path(kept) / "home")
    figures |= {
        "goals": GOALS,
        "parameters": parameters,
        "threads": torch.get_num_threads(),
        "rounds": size.rounds,
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "machine": machine.described(),
        "machine_busy_percent_before": busy,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
