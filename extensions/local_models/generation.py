"""Answers from a model in memory: in batches, and one by one where a batch fails."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.runs import Attempt, Outcome, Question
from extensions.local_models.encoding import EncodedBatch, batch_key, encode
from extensions.local_models.libraries import out_of_memory, short_error
from extensions.local_models.loading import LoadedModel, load
from extensions.local_models.prompts import CannotEncode
from inference.spec import ModelPermissions, ModelSpec


@dataclass(frozen=True)
class GeneratedText:
    """The text that a model generated."""

    text: str
    finish_reason: str
    """`stop`: it came to an end; `length`: it had reached the longest answer that is allowed."""
    tokens_out: int
    raw: str | None = None
    """The raw text, if ``text`` was cleaned of the family's own marks."""
    whole: str = ""
    """The whole text with every mark, up to the end."""


class LocalModel:
    """A model in memory that generates answers (an ``Answerer``)."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded = loaded
        self._about = loaded.about
        self._batch = int(loaded.about["batch_size"])

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the facts about the model and its device."""
        return self._about

    def close(self) -> None:
        """Give its memory back."""
        if hasattr(self, "loaded"):
            del self.loaded
            _let_go()

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Answer questions. Every attempt is reported as soon as its batch has ended."""
        left = [question for question in questions if not self._skipped(question, tell)]
        while left:
            if stop():
                return
            batch = _next_batch(self.loaded, left, self._batch)
            asked = {id(question) for question in batch}
            left = [question for question in left if id(question) not in asked]
            self._ask(batch, tell, stop)

    def _skipped(self, question: Question, tell: Callable[[Attempt], None]) -> bool:
        if question.cannot:
            tell(attempt_at(question, Outcome.SKIPPED, error=question.cannot))
        return bool(question.cannot)

    def _ask(
        self,
        batch: Sequence[Question],
        tell: Callable[[Attempt], None],
        stop: Callable[[], bool],
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer one batch. It is halved if memory runs out, and asked one by one after other errors."""
        notes = notes or {}
        began = time.perf_counter()
        try:
            encoded = encode(self.loaded, batch)
            replies = self._replies(encoded, [question.prompt_hash for question in batch])
        except CannotEncode as error:
            if len(batch) == 1:
                tell(attempt_at(batch[0], Outcome.SKIPPED, error=str(error), detail=dict(notes)))
                return
            self._without_those(batch, tell, stop, notes)
            return
        except Exception as error:  # a model may raise any error; the other questions continue
            memory = out_of_memory(error)
            sentence = short_error(error)
            del error
            _let_go()
            if len(batch) == 1:
                tell(_failed(batch[0], memory, sentence, time.perf_counter() - began, notes))
            elif memory:
                half = (len(batch) + 1) // 2
                self._batch = min(self._batch, half)
                halved_notes = {
                    **notes,
                    "halved": f"Memory ran out with {len(batch)} questions per batch. The run continues with {half} "
                    "per batch.",
                }
                for part in (batch[:half], batch[half:]):
                    if part and not stop():
                        self._ask(part, tell, stop, halved_notes)
            else:
                self._one_by_one(batch, tell, stop, {**notes, "batch_failed": sentence})
            return
        seconds_each = (time.perf_counter() - began) / len(batch)
        for question, reply, prompt, length in zip(batch, replies, encoded.prompts, encoded.lengths, strict=True):
            detail: dict[str, Any] = {**notes, **prompt.notes, "batch": len(batch), "rendered": prompt.text}
            if reply.raw is not None:
                detail["raw"] = reply.raw
            tell(
                attempt_at(
                    question,
                    _outcome(reply),
                    text=reply.text,
                    finish_reason=reply.finish_reason,
                    tokens_in=length,
                    tokens_out=reply.tokens_out,
                    seconds=seconds_each,
                    error="" if reply.text else "The model returned no text.",
                    detail=detail,
                )
            )

    def _without_those(
        self,
        batch: Sequence[Question],
        tell: Callable[[Attempt], None],
        stop: Callable[[], bool],
        notes: Mapping[str, Any],
    ) -> None:
        """Answer a batch in which a question does not fit the model. Such questions are reported, and the others are
        asked.
        """
        fitting = []
        for question in batch:
            try:
                encode(self.loaded, [question])
            except CannotEncode as error:
                tell(attempt_at(question, Outcome.SKIPPED, error=str(error), detail=dict(notes)))
            except Exception:  # it will say so when it is asked
                fitting.append(question)
            else:
                fitting.append(question)
        if len(fitting) == len(batch):
            self._one_by_one(batch, tell, stop, notes)
        elif fitting:
            self._ask(fitting, tell, stop, notes)

    def _one_by_one(
        self,
        batch: Sequence[Question],
        tell: Callable[[Attempt], None],
        stop: Callable[[], bool],
        notes: Mapping[str, Any],
    ) -> None:
        for question in batch:
            if stop():
                return
            self._ask([question], tell, stop, notes)

    def _replies(self, encoded: EncodedBatch, hashes: Sequence[str]) -> list[GeneratedText]:
        loaded = self.loaded
        room = loaded.spec.generation.max_new_tokens
        if loaded.room is not None and not loaded.encoder_decoder:
            room = min(room, loaded.room - max(encoded.lengths))
        if room < loaded.spec.generation.max_new_tokens and len(hashes) > 1:
            # The longest question leaves less room than the description gives; the others must not lose theirs.
            raise CannotEncode("One of the questions leaves too little room for an answer.")
        return generate(loaded, encoded, seed=seed_of(loaded.spec.generation.seed, hashes), most=room)


def open_generate(spec: ModelSpec, allowed: ModelPermissions) -> LocalModel:
    """Open a local model that generates text. Raises ``ModelError``."""
    return LocalModel(load(spec, allowed))


def _next_batch(loaded: LoadedModel, left: Sequence[Question], size: int) -> list[Question]:
    """Return the first remaining question, with others that fit into its batch."""
    key = batch_key(loaded, left[0])
    batch: list[Question] = []
    for question in left:
        if batch_key(loaded, question) == key:
            batch.append(question)
            if len(batch) == size:
                break
    return batch


def generate(loaded: LoadedModel, encoded: EncodedBatch, *, seed: int, most: int) -> list[GeneratedText]:
    """Return the generated text for each question of a batch. Every parameter comes from the description."""
    import torch

    stops = loaded.spec.generation.stop
    start = 0 if loaded.encoder_decoder else encoded.width
    if loaded.spec.generation.do_sample:
        torch.manual_seed(seed)
    with torch.inference_mode():
        written = loaded.model.generate(
            **encoded.inputs,
            generation_config=_parameters(loaded, most),
            **({"stopping_criteria": _stopping(loaded, start, stops)} if stops else {}),
        )
    return [_reply(loaded, row[start:].tolist(), most) for row in written]


def _parameters(loaded: LoadedModel, most: int) -> Any:
    """Return the description's parameters in the form of transformers.

    Only the end of an answer is left to the checkpoint's defaults.
    """
    from transformers import GenerationConfig

    given = loaded.spec.generation
    sampling = (
        {"temperature": given.temperature, "top_p": given.top_p, "top_k": given.top_k}
        if given.do_sample
        else {"temperature": 1.0, "top_p": 1.0, "top_k": 50}  # not used, and these are the values that say so
    )
    return GenerationConfig(
        do_sample=given.do_sample,
        num_beams=given.num_beams,
        max_new_tokens=most,
        min_new_tokens=min(given.min_new_tokens, most),
        repetition_penalty=given.repetition_penalty,
        length_penalty=given.length_penalty,
        no_repeat_ngram_size=given.no_repeat_ngram_size,
        num_return_sequences=1,
        use_cache=True,
        eos_token_id=list(loaded.end_ids) or None,
        pad_token_id=loaded.tokenizer.pad_token_id,
        **sampling,
    )


def _stopping(loaded: LoadedModel, start: int, stops: Sequence[str]) -> Any:
    """Return a criterion that ends a row of a batch as soon as its answer contains one of the texts."""
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    tokenizer = loaded.tokenizer

    def found(self: Any, input_ids: Any, scores: Any, **_: Any) -> Any:
        ended = [
            any(stop in text for stop in stops)
            for text in tokenizer.batch_decode(input_ids[:, start:], skip_special_tokens=True)
        ]
        return torch.tensor(ended, dtype=torch.bool, device=input_ids.device)

    kind = type("StopTexts", (StoppingCriteria,), {"__call__": found})
    return StoppingCriteriaList([kind()])


def _reply(loaded: LoadedModel, ids: Sequence[int], most: int) -> GeneratedText:
    """Return the generated tokens as text: up to their end, without marks, cut before a stop text."""
    kept = list(ids)
    if loaded.encoder_decoder and kept:
        kept = kept[1:]  # the decoder's start token
    ended = False
    for index, token in enumerate(kept):
        if token in loaded.end_ids:
            kept, ended = kept[:index], True
            break
    pad = loaded.tokenizer.pad_token_id
    while not ended and kept and kept[-1] == pad:
        kept.pop()
    count = len(kept)
    text = str(loaded.tokenizer.decode(kept, skip_special_tokens=True))
    raw = None
    if loaded.family.model_type == "kosmos-2":
        raw = text
        text = str(loaded.processor.post_process_generation(text)[0])
    for stop in loaded.spec.generation.stop:
        before, mark, _ = text.partition(stop)
        if mark:
            text, ended = before, True
    reason = "stop" if ended or count < most else "length"
    raw = raw if raw is not None and raw.strip() != text.strip() else None
    return GeneratedText(
        text.strip(), reason, count, raw, str(loaded.tokenizer.decode(kept, skip_special_tokens=False))
    )


def _outcome(reply: GeneratedText) -> Outcome:
    if not reply.text:
        return Outcome.EMPTY
    return Outcome.TRUNCATED if reply.finish_reason == "length" else Outcome.ANSWERED


def attempt_at(question: Question, outcome: Outcome, **more: Any) -> Attempt:
    return Attempt(
        question.unit_id,
        outcome,
        prompt_hash=question.prompt_hash,
        image_hashes=tuple(picture.sha256 for picture in question.pictures),
        **more,
    )


def _failed(question: Question, memory: bool, sentence: str, seconds: float, notes: Mapping[str, Any]) -> Attempt:
    count = len(question.pictures)
    error = (
        f"There is not enough memory for this question with {count} pictures, even if no other question is in the "
        "batch. Use fewer or smaller pictures, or a smaller model."
        if memory
        else f"The model failed on this item. {sentence}"
    )
    return attempt_at(question, Outcome.FAILED, error=error, seconds=seconds, detail=dict(notes))


def seed_of(seed: int, hashes: Sequence[str]) -> int:
    """Return a seed from the description's seed and the question, so that the order of questions does not matter."""
    text = f"{seed} {' '.join(hashes)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _let_go() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
