"""Every image-text type of the installed transformers: which load, answer and rank, and why the others do not.

    .venv/bin/python -m benchmarks.model_types [--quick] [--only TYPE ...] [--memory GIB] [--seconds N]

For each type a tiny checkpoint with random weights is written and opened by the code that opens anyone's. It is asked
about one picture, several pictures and none, and ranks options. Each type has a process of its own with a limit of
memory and time, so a bad one cannot end the others.

The table comes first; the last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, tiny_types
from domain.errors import ModelError
from domain.runs import Attempt, Outcome, Picture, Question
from extensions.local_models import fit
from inference.opening import open_answerer
from inference.spec import Generation, ModelPermissions, ModelSpec
from testkit import tiny

QUICK = ("gemma4", "llava", "llama4", "mllama", "qwen2_5_omni_thinker", "qwen3_vl", "t5gemma2")
MEMORY = 4 * 2**30
"""Bytes of one type's process."""
SECONDS = 120
"""For one type."""
MOST_DIFFERENCE = 1e-3
OPTIONS = ("a cup", "a knife and an onion", "open the drawer")
NO_PLAIN_PASS = ("instructblip", "paligemma")
"""The processor of the first has the option read by the part that looks at the picture, that of the second puts a line
break behind it. `tests/inference/test_ranking.py` compares their rankings with passes made by hand."""
ASKED = ("one picture", "several pictures", "no picture")
REPLIED = {Outcome.ANSWERED, Outcome.TRUNCATED, Outcome.EMPTY}
"""A model with random weights may write anything, or nothing at once."""


def main() -> None:
    """Print the table and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{len(QUICK)} types only")
    parser.add_argument("--only", nargs="+", metavar="TYPE", help="these types only")
    parser.add_argument("--memory", type=int, default=MEMORY // 2**30, metavar="GIB", help="for one type's process")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for one type")
    arguments = parser.parse_args()
    known = list(tiny_types.image_text_types())
    wanted = arguments.only or (QUICK if arguments.quick else known)
    unknown = [kind for kind in wanted if kind not in known]
    if unknown:
        parser.error(f"no image-text type of the installed transformers: {', '.join(unknown)}")
    busy, began = machine.busy_percent(), time.monotonic()
    found = try_types(wanted, memory=arguments.memory * 2**30, seconds=arguments.seconds)
    print_table(found)
    figures = count(found) | {"seconds": round(time.monotonic() - began), "machine_busy_percent_before": busy}
    print(json.dumps({**figures, "machine": machine.described(), "rows": found}))


def try_types(
    kinds: list[str] | tuple[str, ...], *, memory: int = MEMORY, seconds: int = SECONDS
) -> dict[str, dict[str, Any]]:
    """Return a row for each type, each from a process of its own."""
    import torch

    torch.set_num_threads(1)
    load_libraries()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            machine.log(kind)
            work = partial(try_type, kind, Path(folder) / kind)
            found[kind] = in_process(work, memory=memory, seconds=seconds)
    return found


def load_libraries() -> None:
    """Import once what every type's process needs."""
    from transformers import (  # noqa: F401
        CONFIG_MAPPING,
        AutoImageProcessor,
        AutoModelForImageTextToText,
        AutoProcessor,
        AutoTokenizer,
        GenerationConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
    )

    from extensions.local_models import encoding, generation, loading, processors, ranking, weights  # noqa: F401


def in_process(work: Callable[[], dict[str, Any]], *, memory: int = MEMORY, seconds: int = SECONDS) -> dict[str, Any]:
    """Return the result of a function that runs in its own process; the end of the process is the row's reason."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            told = json.dumps(work())
        except BaseException as error:  # the row has the error, and the other types continue
            told = json.dumps(row(why=f"{type(error).__name__}: {error}"))
        with os.fdopen(writing, "w") as pipe:
            pipe.write(told)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        return dict(json.loads(text))
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    reason = f"no result within {seconds} seconds" if ended == signal.SIGALRM else f"its process ended ({status})"
    return row(why=reason)


def row(**told: Any) -> dict[str, Any]:
    """Return a row of the table."""
    return {"built": False, "loads": False, "asks": [], "ranks": False, "why": "", **told}


def try_type(kind: str, folder: Path) -> dict[str, Any]:
    """Return what becomes of one type."""
    if kind in tiny_types.NO_QUESTIONS:
        return row(why=tiny_types.NO_QUESTIONS[kind])
    try:
        tiny_types.build(kind, folder)
    except Exception as error:
        return row(why=f"no tiny checkpoint: {short(error)}")
    spec = fit.spec_for_folder(folder).model_copy(update={"generation": Generation(max_new_tokens=4)})
    if kind in tiny_types.ADAPTERS:
        spec = spec.model_copy(update={"adapter": tiny_types.ADAPTERS[kind]})
    try:
        asked = ask(spec, folder)
    except ModelError as error:
        return row(built=True, why=short(error))
    ranked = rank(spec, folder)
    asks = [name for name, attempt in zip(ASKED, asked, strict=True) if attempt.outcome in REPLIED]
    reasons = [f"{name}: {each.error}" for name, each in zip(ASKED, asked, strict=True) if name not in asks]
    reasons += [] if ranked.outcome is Outcome.ANSWERED else [f"rank: {ranked.error}"]
    ranks = ranked.outcome is Outcome.ANSWERED
    if ranks and kind not in NO_PLAIN_PASS and (difference := plain_difference(spec, folder, ranked)) > MOST_DIFFERENCE:
        ranks, reasons = False, [*reasons, f"rank: {difference:.2g} away from a plain pass through the model"]
    return row(built=True, loads=True, asks=asks, ranks=ranks, why=" ".join(map(short, reasons)))


def ask(spec: ModelSpec, folder: Path) -> list[Attempt]:
    """Return what the model answers about one picture, several, and none."""
    one, two = _picture(folder, 1), _picture(folder, 2)
    texts = (
        (one, "What is this?"),
        (one, "Here is a place, and ", two, " another one. What next?"),
        ("What is next?",),
    )
    questions = [Question(number, f"q{number}", "d", parts) for number, parts in enumerate(texts)]
    answerer = open_answerer(spec, strategy="generate")
    try:
        return _answers(answerer, questions)
    finally:
        answerer.close()


def rank(spec: ModelSpec, folder: Path) -> Attempt:
    """Return what becomes of ranking three options about a picture."""
    question = Question(0, "q", "d", (_picture(folder, 1), "What is this?"), options=OPTIONS)
    answerer = open_answerer(spec, strategy="rank_options")
    try:
        return _answers(answerer, [question])[0]
    finally:
        answerer.close()


def plain_difference(spec: ModelSpec, folder: Path, ranked: Attempt) -> float:
    """Return the largest difference between log-probabilities of a ranking and those of plain passes.

    A plain pass has the processor read question and option as one text, so that it makes all inputs itself.
    """
    import torch

    from extensions.local_models.encoding import encode_prompts
    from extensions.local_models.loading import load
    from extensions.local_models.prompts import prompt_of
    from inference.options import joined

    loaded = load(spec, ModelPermissions())
    prompt = prompt_of(loaded, Question(0, "q", "d", (_picture(folder, 1), "What is this?")))
    kept, _, texts = joined(prompt.text, OPTIONS, loaded.special)
    found = []
    for text, option in zip(texts, ranked.detail["options"], strict=True):
        logprobs = option["logprobs"]
        with torch.no_grad():
            if loaded.encoder_decoder:
                inputs = dict(encode_prompts(loaded, [prompt]).inputs)
                ids = loaded.tokenizer(option["text"], add_special_tokens=False)["input_ids"]
                start = loaded.model.generation_config.decoder_start_token_id
                logits = loaded.model(**inputs, decoder_input_ids=torch.tensor([[start, *ids]])).logits[0, : len(ids)]
            else:
                inputs = dict(encode_prompts(loaded, [replace(prompt, text=kept + text)]).inputs)
                ids = inputs["input_ids"][0, -len(logprobs) :].tolist()
                logits = loaded.model(**inputs, use_cache=False).logits[0, -len(ids) - 1 : -1]
        plain = logits.float().log_softmax(-1)[torch.arange(len(ids)), torch.tensor(ids)].tolist()
        found += [abs(one - other) for one, other in zip(plain, logprobs, strict=True)]
    return max(found)


def _answers(answerer: Any, questions: list[Question]) -> list[Attempt]:
    told: dict[int, Attempt] = {}
    answerer.answer(questions, tell=lambda attempt: told.update({attempt.unit_id: attempt}), stop=lambda: False)
    return [told[question.unit_id] for question in questions]


def _picture(folder: Path, number: int) -> Picture:
    path = folder / f"{number}.png"
    if not path.exists():
        tiny.picture(path, number)
    return Picture(path, hashlib.sha256(path.read_bytes()).hexdigest())


def short(error: object) -> str:
    """Return a reason in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"


def needs(found: dict[str, Any]) -> str:
    """Return the package that a type needs, as its loading error names it."""
    named = re.search(r"needs the package (\S+?),", found["why"])
    return named[1] if named else ""


def count(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return how many types do what."""
    rows = list(found.values())
    return {
        "types": len(rows),
        "load": sum(each["loads"] for each in rows),
        "ask_about_a_picture": sum("one picture" in each["asks"] for each in rows),
        "ask_in_all_ways": sum(len(each["asks"]) == len(ASKED) for each in rows),
        "rank": sum(each["ranks"] for each in rows),
        "need_a_package": dict(Counter(filter(None, map(needs, rows)))),
        "no_tiny_checkpoint": sum(not each["built"] for each in rows),
    }


def print_table(found: dict[str, dict[str, Any]]) -> None:
    """Print a row for each type."""
    print("| type | loads | asks | ranks | why not |\n|---|---|---|---|---|")
    for kind, each in found.items():
        asks = "all" if len(each["asks"]) == len(ASKED) else ", ".join(each["asks"]) or "no"
        yes = {True: "yes", False: "no"}
        print(f"| {kind} | {yes[each['loads']]} | {asks} | {yes[each['ranks']]} | {each['why'].replace('|', '/')} |")


if __name__ == "__main__":
    main()
