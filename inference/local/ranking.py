"""Ranking a closed set of options by how likely a local model finds each as the continuation of the question.

Pictures and prompt go through the model once; the options are scored from what it remembers of them. What decides
whether a score is right: an option's tokens are those it has when prompt and option are tokenised together; a space
between them belongs to the option; where one option is the beginning of another, the end of the answer counts as well,
or the shorter one could never lose under a sum.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from domain.errors import ModelRefused
from domain.runs import Attempt, Outcome, Question
from inference.scores import MEANINGS, Option, Ranking

if TYPE_CHECKING:
    import torch

ROOM = 2**30
"""Bytes that copies of what the model remembers may take on a processor; on a GPU a quarter of what is free."""

_END = -1
"""Stands for the end of the answer among an option's tokens."""

_ALONG = MappingProxyType({"attention_mask": 1, "token_type_ids": 0, "mm_token_type_ids": 0})
"""Inputs as long as the prompt, with what they say of an option's tokens."""


@dataclass(frozen=True)
class Family:
    """What an architecture needs so that its fast way gives the same probabilities as the naive one."""

    cached: bool = True
    """False: only a whole pass per option is right."""
    packed: bool = False
    """All options in one row under a block mask are right, too."""
    inner: bool = False
    """Its language model goes on by itself: the whole always wants a picture."""
    rope_deltas: bool = False
    """Positions go on from where the picture's end, which it must be told."""
    text_only: bool = True
    """It can be asked without any picture."""
    after: str = ""
    """What its processor puts after every prompt by itself."""
    along: Mapping[str, int] = field(default_factory=lambda: _ALONG)


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "llava": Family(packed=True),
        "llava_next": Family(packed=True),
        "llava_onevision": Family(packed=True),
        "video_llava": Family(packed=True),
        "internvl": Family(packed=True),
        "idefics3": Family(packed=True),
        "smolvlm": Family(packed=True),
        "gemma3": Family(),
        "qwen2_vl": Family(rope_deltas=True),
        "qwen2_5_vl": Family(rope_deltas=True),
        "qwen3_vl": Family(rope_deltas=True),
        "blip-2": Family(inner=True, text_only=False),
        "instructblip": Family(inner=True, text_only=False),
        "paligemma": Family(cached=False, text_only=False, after="\n", along={**_ALONG, "token_type_ids": 1}),
        "kosmos-2": Family(cached=False, text_only=False, along={**_ALONG, "image_embeds_position_mask": 0}),
    }
)
"""By the ``model_type`` of a checkpoint. Others are scored the naive way, unless they are language models alone."""


class Loaded(Protocol):
    """What ranking needs of a model that has been loaded."""

    model: Any
    tokenizer: Any

    @property
    def about(self) -> Mapping[str, Any]: ...

    def rendered(self, question: Question) -> tuple[str, list[Any]]:
        """The prompt as the processor takes it, with the family's marks for images, and the images."""

    def encoded(self, prompts: Sequence[tuple[str, list[Any]]]) -> dict[str, Any]:
        """Tensors for the model, on its device."""

    def close(self) -> None: ...


class CannotRank(Exception):
    """This question's options cannot be ranked by this model; the message is a sentence that says why."""


@dataclass(frozen=True)
class Cut:
    """Options as tokens that go on from a prompt."""

    prompt: str
    joint: str
    """What stands between prompt and option, and is scored with the option."""
    tokens: tuple[tuple[int, ...], ...]
    """Of every option; the last may stand for the end of the answer."""
    end: bool
    """Whether the end of the answer counts."""


def cut(tokenizer: Any, prompt: str, options: Sequence[str]) -> Cut:
    """The options' tokens after that prompt: tokenised together with it, and cut where it ends.

    A space at the end of the prompt goes to the options. Without one, and where no line or special token ends, options
    get a space, unless they bring it.

    Raises
    ------
    CannotRank
        An option is empty, or its first letters are in one token with the prompt's last.
    """
    for option in options:
        if not option.strip():
            raise CannotRank("One of the options is empty, so it has no likelihood.")
    kept = prompt.rstrip(" ")
    joint = prompt[len(kept) :]
    head = _ids(tokenizer, [kept])[0]
    if not joint and kept and not kept[-1].isspace() and head[-1] not in _special(tokenizer):
        joint = " "
    texts = [option if joint == " " and option.startswith(" ") else joint + option for option in options]
    tokens: list[tuple[int, ...]] = []
    for option, whole in zip(options, _ids(tokenizer, [kept + text for text in texts]), strict=True):
        if whole[: len(head)] != head or len(whole) == len(head):
            raise CannotRank(
                f"The tokeniser puts the end of the prompt and the beginning of the option “{option}” into one token, "
                "so that the option has no likelihood of its own: end the prompt with a line break or a full stop."
            )
        tokens.append(tuple(whole[len(head) :]))
    end = any(a != b and b[: len(a)] == a for a in tokens for b in tokens)
    if end:
        tokens = [(*each, _END) for each in tokens]
    return Cut(kept, joint, tuple(tokens), end)


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    found = tokenizer(texts, add_special_tokens=False)["input_ids"]
    return [list(each) for each in found]


def _special(tokenizer: Any) -> set[int]:
    added = getattr(tokenizer, "added_tokens_decoder", {})
    return {*tokenizer.all_special_ids, *(number for number, token in added.items() if token.special)}


class Ranker:
    """Answers with the likeliest option."""

    def __init__(
        self, loaded: Loaded, *, ranking: str = "auto", score: str = "mean_logprob", without_image: bool = False
    ) -> None:
        """Raises ``ModelRefused`` where this model cannot be asked in that way."""
        self._loaded = loaded
        self._model = loaded.model
        self._score = score
        self._without_image = without_image or score == "pmi_logprob"
        config = loaded.model.config
        kind = str(config.model_type)
        sees = getattr(config, "vision_config", None) is not None
        self._family = FAMILIES.get(kind) or Family(cached=not sees)
        self._inner = getattr(loaded.model, "language_model", loaded.model) if self._family.inner else loaded.model
        self._decoder_alone = bool(getattr(getattr(self._inner, "config", config), "is_encoder_decoder", False))
        self._ends = _ends(loaded)
        if score not in MEANINGS:
            raise ModelRefused(f"There is no score `{score}` of options; there are {', '.join(MEANINGS)}.")
        if self._without_image and not self._family.text_only:
            raise ModelRefused(
                f"Models of the kind {kind} cannot be asked without a picture, so what pictures add to an option's "
                "likelihood cannot be had from them: choose another score and leave `without_image` out."
            )
        if ranking == "packed" and (not self._family.packed or self._decoder_alone):
            raise ModelRefused(
                f"Options of models of the kind {kind} cannot be packed into one row: set `ranking: auto`."
            )
        if ranking == "cached" and not self._family.cached:
            raise ModelRefused(
                f"For models of the kind {kind} only a whole pass per option is known to be right: set `ranking: auto`."
            )
        if ranking == "auto":
            ranking = "cached" if self._family.cached else "naive"
        self._way = ranking

    @property
    def about(self) -> Mapping[str, Any]:
        """What it runs on, and how options are scored."""
        return {**self._loaded.about, "ranking": self._way, "score": self._score}

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Rank the options of one question after the other."""
        for question in questions:
            if stop():
                return
            tell(self._asked(question))

    def close(self) -> None:
        """Give the model back."""
        self._loaded.close()

    def _asked(self, question: Question) -> Attempt:
        begun = time.perf_counter()
        empty = Attempt(
            question.unit_id,
            Outcome.FAILED,
            prompt_hash=question.prompt_hash,
            image_hashes=tuple(picture.sha256 for picture in question.pictures),
        )
        if question.cannot:
            return replace(empty, outcome=Outcome.SKIPPED, error=question.cannot)
        try:
            ranking, length, detail = self.rank(question)
            winner = ranking.winner
        except (CannotRank, ModelRefused) as error:
            return replace(empty, error=str(error), seconds=time.perf_counter() - begun)
        except Exception as error:  # whatever a model's own code raises must not end the run
            said = (str(error).strip().splitlines() or [""])[0]
            sentence = f"The model failed on this item: {type(error).__name__}: {said}".rstrip(": ")
            return replace(empty, error=sentence, seconds=time.perf_counter() - begun)
        return replace(
            empty,
            outcome=Outcome.ANSWERED,
            text=winner.text,
            finish_reason="ranked",
            tokens_in=length,
            tokens_out=0,
            seconds=time.perf_counter() - begun,
            detail=ranking.dump(**detail),
        )

    def rank(self, question: Question) -> tuple[Ranking, int, dict[str, Any]]:
        """The ranking, how many tokens the prompt has, and how it was worked out.

        Raises
        ------
        CannotRank
            The message says why.
        """
        if not question.options:
            raise CannotRank("The item has no options to rank.")
        if not question.pictures and not self._family.text_only:
            raise CannotRank(
                f"Models of the kind {self._model.config.model_type} cannot be asked without a picture, and this "
                "question has none."
            )
        blind = None
        if self._without_image and question.pictures:
            texts = tuple(part for part in question.parts if isinstance(part, str))
            blind, _, _, _ = self._scored(replace(question, parts=texts))
        elif self._score == "pmi_logprob":
            raise CannotRank("The score pmi_logprob compares with and without pictures, and this question has none.")
        values, length, found, way = self._scored(question)
        options = tuple(
            Option.of(text, each, None if blind is None else blind[place])
            for place, (text, each) in enumerate(zip(question.options, values, strict=True))
        )
        return Ranking(options, self._score), length, {"way": way, "end_token": found.end, "joint": found.joint}

    def _scored(self, question: Question) -> tuple[list[list[float]], int, Cut, str]:
        import torch

        text, images = self._loaded.rendered(question)
        if self._decoder_alone:
            found = self._alone(text, question.options)
        else:
            found = cut(self._loaded.tokenizer, text + self._family.after, question.options)
        if found.end and not self._ends:
            raise CannotRank("One option is the beginning of another, and this model's tokeniser has no end token.")
        inputs = self._loaded.encoded([(found.prompt.removesuffix(self._family.after), images)])
        inputs.pop("labels", None)  # some processors make them by themselves
        if not self._decoder_alone:
            self._check(inputs["input_ids"], found.prompt)
        different = list(dict.fromkeys(found.tokens))
        way = self._way
        with torch.inference_mode():
            if self._decoder_alone:
                values = (self._decoded if way != "naive" else self._decoded_naively)(inputs, different)
            elif way == "naive":
                values = self._naive(inputs, different)
            else:
                kept, first, last = self._read(inputs)
                if not _plain(kept) or (way == "packed" and _sliding(kept)):
                    way, values = "naive", self._naive(inputs, different)
                elif way == "packed":
                    values = self._packed(kept, first, last, different)
                else:
                    values = self._cached(kept, first, last, different)
        by_tokens = dict(zip(different, values, strict=True))
        return [by_tokens[each] for each in found.tokens], int(inputs["input_ids"].shape[1]), found, way

    def _alone(self, text: str, options: Sequence[str]) -> Cut:
        """Options that a decoder begins with: nothing stands before them."""
        found = cut(self._loaded.tokenizer, "", options)
        return replace(found, prompt=text)

    def _check(self, ids: torch.Tensor, prompt: str) -> None:
        """The processor ends the prompt where the options were cut from it."""
        tail = _ids(self._loaded.tokenizer, [prompt])[0][-4:]
        if ids[0, -len(tail) :].tolist() != tail:
            raise CannotRank(
                "The processor of this model puts something after the prompt, so that an option would not follow it."
            )

    # From the whole, once per option.

    def _naive(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        import torch

        found = []
        for option in options:
            fed = _fed(option)
            more = dict(inputs)
            ids = inputs["input_ids"]
            more["input_ids"] = torch.cat([ids, ids.new_tensor([fed])], 1)
            for name, value in self._family.along.items():
                if name in inputs:
                    given = inputs[name]
                    more[name] = torch.cat([given, given.new_full((1, len(fed)), value)], 1)
            self._forget()
            out = self._model(**more, use_cache=False)
            start = out.logits.shape[1] - len(fed) - 1
            rows = out.logits[0, start : start + len(option)]
            found.append(self._gathered(rows, option))
        return found

    # The prompt once, then the options.

    def _read(self, inputs: Mapping[str, Any]) -> tuple[Any, torch.Tensor, int]:
        """What the model remembers of the prompt, its say on the first token, and where the next position is."""
        self._forget()
        out = self._model(**inputs, use_cache=True, logits_to_keep=1)
        kept = out.language_model_outputs.past_key_values if self._family.inner else out.past_key_values
        last = int(inputs["input_ids"].shape[1])
        return kept, out.logits[0, -1], last

    def _forget(self) -> None:
        """What the question before left behind."""
        if self._family.rope_deltas:
            self._model.model.rope_deltas = None

    def _cached(
        self, kept: Any, first: torch.Tensor, last: int, options: Sequence[tuple[int, ...]]
    ) -> list[list[float]]:
        """Options side by side, as many at once as there is room for copies of what is remembered."""
        import torch

        begin = _log_softmax(first)
        found: dict[int, list[float]] = {}
        rest = []
        for place, option in enumerate(options):
            found[place] = self._picked(begin, option[:1])
            if len(option) > 1:
                rest.append(place)
        rest.sort(key=lambda place: len(options[place]))  # so that little is filled up in a group
        size = max(1, _room(first.device) // max(1, _bytes(kept)))
        for start in range(0, len(rest), size):
            group = rest[start : start + size]
            fed = [_fed(options[place]) for place in group]
            width = max(map(len, fed))
            ids = torch.tensor([[*each, *each[-1:] * (width - len(each))] for each in fed], device=first.device)
            # What fills a row up stands behind all that counts, and nothing looks ahead: it needs no mask.
            seen = torch.ones((len(group), last + width), dtype=torch.long, device=first.device)
            logits = self._on(kept, len(group), ids, seen, last)
            rows = torch.cat([logits[row, : len(options[place]) - 1] for row, place in enumerate(group)])
            values = self._gathered(rows, [token for place in group for token in options[place][1:]])
            for place in group:
                more = len(options[place]) - 1
                found[place] += values[:more]
                values = values[more:]
        return [found[place] for place in range(len(options))]

    def _on(self, kept: Any, rows: int, ids: torch.Tensor, seen: torch.Tensor, last: int) -> torch.Tensor:
        """Logits of so many rows that all go on from what is remembered."""
        import torch

        given: dict[str, Any] = {}
        if self._family.rope_deltas:
            delta = self._model.model.rope_deltas
            begin = last + (0 if delta is None else int(delta.reshape(-1)[0]))
            places = torch.arange(begin, begin + ids.shape[1], device=ids.device)
            given["position_ids"] = places.expand(3, rows, -1)
        out = self._inner(
            input_ids=ids, attention_mask=seen, past_key_values=_spread(kept, rows), use_cache=True, **given
        )
        logits: torch.Tensor = out.logits
        return logits

    def _packed(
        self, kept: Any, first: torch.Tensor, last: int, options: Sequence[tuple[int, ...]]
    ) -> list[list[float]]:
        """All options in one row: each sees the prompt and itself."""
        import torch

        begin = _log_softmax(first)
        found = [self._picked(begin, option[:1]) for option in options]
        fed = [_fed(option) for option in options]
        flat = [token for each in fed for token in each]
        if not flat:
            return found
        allow = torch.zeros((len(flat), last + len(flat)), dtype=torch.bool, device=first.device)
        allow[:, :last] = True
        places: list[int] = []
        at = 0
        for each in fed:
            stop = at + len(each)
            allow[at:stop, last + at : last + stop] = torch.ones((len(each),) * 2, dtype=torch.bool).tril()
            places += range(last, last + len(each))
            at = stop
        dtype = kept.layers[0].keys.dtype
        mask = torch.zeros(allow.shape, dtype=dtype, device=first.device).masked_fill(~allow, torch.finfo(dtype).min)
        out = self._inner(
            input_ids=torch.tensor([flat], device=first.device),
            attention_mask=mask[None, None],
            position_ids=torch.tensor([places], device=first.device),
            past_key_values=_spread(kept, 1),
            use_cache=True,
        )
        at = 0
        for place, (option, each) in enumerate(zip(options, fed, strict=True)):
            rows = out.logits[0, at : at + len(option) - 1]
            found[place] += self._gathered(rows, option[1:])
            at += len(each)
        return found

    # Models that read with one half and answer with the other.

    def _decoded_naively(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        import torch

        found = []
        for option in options:
            ids = torch.tensor([[self._start, *option[:-1]]], device=inputs["input_ids"].device)
            out = self._model(**inputs, decoder_input_ids=ids, use_cache=False)
            found.append(self._gathered(out.logits[0], option))
        return found

    def _decoded(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        device = inputs["input_ids"].device
        begin = torch.tensor([[self._start]], device=device)
        out = self._model(**inputs, decoder_input_ids=begin, use_cache=False)
        read = (out.language_model_outputs if self._family.inner else out).encoder_last_hidden_state
        size = max(1, _room(device) // max(1, 8 * read.numel() * read.element_size()))
        found: list[list[float]] = []
        for at in range(0, len(options), size):
            group = options[at : at + size]
            width = max(map(len, group))
            # The last token is never read, and what fills a row up stands behind all that counts.
            ids = [[self._start, *each[:-1], *[0] * (width - len(each))] for each in group]
            logits = self._inner(
                encoder_outputs=BaseModelOutput(last_hidden_state=read.expand(len(group), -1, -1)),
                attention_mask=inputs["attention_mask"].expand(len(group), -1),
                decoder_input_ids=torch.tensor(ids, device=device),
                use_cache=False,
            ).logits
            found += [self._gathered(logits[row, : len(each)], each) for row, each in enumerate(group)]
        return found

    @property
    def _start(self) -> int:
        return int(self._inner.config.decoder_start_token_id)

    # From logits to log-probabilities.

    def _gathered(self, rows: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """The log-probability of each token in its row of logits."""
        found: list[float] = []
        for start in range(0, len(tokens), 64):  # a large vocabulary in float64 takes much room
            found += self._picked(_log_softmax(rows[start : start + 64]), tokens[start : start + 64])
        return found

    def _picked(self, logprobs: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """The tokens' entries; the end of the answer is any of the end tokens."""
        import torch

        table = logprobs.expand(len(tokens), -1)
        wanted = torch.tensor([max(token, 0) for token in tokens], device=table.device)
        values: list[float] = table.gather(1, wanted[:, None])[:, 0].tolist()
        for row, token in enumerate(tokens):
            if token == _END:
                values[row] = float(torch.logsumexp(table[row, list(self._ends)], 0))
        return values


def _fed(option: Sequence[int]) -> list[int]:
    """What of an option is read: all but its last token, which is only expected."""
    return list(option[:-1])


def _log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """In float64: over a large vocabulary float32 alone costs 1e-5."""
    import torch

    return torch.log_softmax(logits.double(), -1)


def _ends(loaded: Loaded) -> tuple[int, ...]:
    """Tokens that end an answer."""
    config = getattr(loaded.model, "generation_config", None)
    found = getattr(config, "eos_token_id", None)
    if found is None:
        found = loaded.tokenizer.eos_token_id
    if found is None:
        return ()
    return tuple(found) if isinstance(found, list | tuple) else (int(found),)


def _layers(kept: Any) -> list[Any]:
    return list(getattr(kept, "layers", ()))


def _plain(kept: Any) -> bool:
    """Whether what is remembered is keys and values alone, which can be copied for several options."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    return bool(_layers(kept)) and all(
        type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in _layers(kept)
    )


def _sliding(kept: Any) -> bool:
    return any(layer.is_sliding for layer in _layers(kept))


def _bytes(kept: Any) -> int:
    return sum(
        tensor.numel() * tensor.element_size() for layer in _layers(kept) for tensor in (layer.keys, layer.values)
    )


def _room(device: torch.device) -> int:
    import torch

    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free) // 4
    return ROOM


def _spread(kept: Any, rows: int) -> Any:
    """For so many rows; the original stays as it is, and nothing is copied before it grows."""
    spread = copy.copy(kept)
    spread.layers = []
    for layer in kept.layers:
        again = copy.copy(layer)
        again.keys = layer.keys.expand(rows, -1, -1, -1)
        again.values = layer.values.expand(rows, -1, -1, -1)
        spread.layers.append(again)
    return spread
