"""Ranking of a closed set of options by the likelihood that a local model gives each as a continuation of the question.

Pictures and prompt go through the model once, and the options are scored from its cache. The rules for a correct score
are in ``inference.options``.

The module is long because one class, ``Ranker``, shares the cache of a question between all of its steps.
"""

from __future__ import annotations

import copy
import gc
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from domain.errors import ModelError
from domain.option_scores import MEANINGS, Option, Ranking
from domain.runs import Attempt, Outcome, Question
from inference.local.encoding import CannotEncode, EncodedBatch, encode_prompts, neutral, prompt_of
from inference.local.loading import LoadedModel, load, out_of_memory, short_error
from inference.options import CannotRank, check_options, joined, one_begins_another, tokens_after
from inference.spec import ModelPermissions, ModelSpec

if TYPE_CHECKING:
    import torch

ROOM = 2**30
"""The bytes that copies of the cache may use on a processor. On a GPU, a quarter of the free memory is used."""

_END = -1
"""The token for the end of the answer in an option."""

PACKED = frozenset({"llava", "llava_next", "llava_onevision", "video_llava", "internvl", "idefics3", "smolvlm"})
"""Families, by ``model_type``, whose options may share one row under a block mask."""

ALONG: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "": {"attention_mask": 1, "token_type_ids": 0, "mm_token_type_ids": 0, "image_embeds_position_mask": 0},
        "paligemma": {"attention_mask": 1, "token_type_ids": 1},
    }
)
"""Inputs as long as the prompt, with the value for an option's tokens, by ``model_type`` and for all others."""

_LIKE_THE_LAST = ("cross_attention_mask", "image_attention_mask")
"""Inputs as long as the prompt that say which pictures a token sees: an option's tokens see those of the last one."""

AFTER: Mapping[str, str] = MappingProxyType({"paligemma": "\n"})
"""The text that processors add after every prompt, by ``model_type``."""


@dataclass(frozen=True)
class OptionTokens:
    """Options as tokens that continue a prompt."""

    prompt: str
    joint: str
    """The text between prompt and option, which is scored with the option."""
    tokens: tuple[tuple[int, ...], ...]
    """The tokens of every option. The last one may be the end of the answer."""
    end: bool
    """Whether the end of the answer counts."""


def cut(tokenizer: Any, prompt: str, options: Sequence[str], special: Sequence[str] = ()) -> OptionTokens:
    """Return the options' tokens after a prompt: tokenized together with it, and cut at its end; see ``joined``.

    Raises
    ------
    CannotRank
        An option is empty, or its first letters share a token with the end of the prompt.
    """
    check_options(options)
    kept, joint, texts = joined(prompt, options, special)
    head = _ids(tokenizer, [kept])[0]
    wholes = _ids(tokenizer, [kept + text for text in texts])
    tokens = [tokens_after(head, whole, option) for option, whole in zip(options, wholes, strict=True)]
    end = one_begins_another(tokens)
    if end:
        tokens = [(*each, _END) for each in tokens]
    return OptionTokens(kept, joint, tuple(tokens), end)


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    found = tokenizer(texts, add_special_tokens=False)["input_ids"]
    return [list(each) for each in found]


def open_ranker(spec: ModelSpec, allowed: ModelPermissions, score: str, without_image: bool) -> Ranker:
    """Open the model of a description for ranking. Raises ``ModelError``."""
    return Ranker(load(spec, allowed), score=score, without_image=without_image)


class Ranker:
    """Answers with the likeliest option."""

    def __init__(self, loaded: LoadedModel, *, score: str = "mean_logprob", without_image: bool = False) -> None:
        """Prepare the ranking. Raises ``ModelError`` if the score does not fit the model."""
        family, asked = loaded.family, loaded.spec.ranking
        if score not in MEANINGS:
            raise ModelError(f"There is no score `{score}` of options; there are {', '.join(MEANINGS)}.")
        without_image = without_image or score == "pmi_logprob"
        if without_image and family.needs_picture:
            raise ModelError(
                f"{family.title} cannot be asked without a picture, so what pictures add to an option's likelihood "
                "cannot be had from it: choose another score and leave `without_image` out."
            )
        if asked == "packed" and family.model_type not in PACKED:
            raise ModelError(
                f"Options cannot be packed into one row for {family.title}: set `ranking: auto` for {loaded.spec.name}."
            )
        if asked == "cached" and family.ranking == "naive":
            raise ModelError(
                f"For {family.title} only a whole pass per option is known to be right: set `ranking: auto` for "
                f"{loaded.spec.name}."
            )
        self._loaded, self._model, self._family = loaded, loaded.model, family
        self._way = ("naive" if family.ranking == "naive" else "cached") if asked == "auto" else asked
        self._score, self._without_image = score, without_image
        self._marks = frozenset(loaded.tokenizer.convert_tokens_to_ids(list(loaded.special)))
        self._at_once = 1000
        """The largest number of options in parallel. It is reduced when memory has run out."""
        self._within = hasattr(loaded.model, "language_model") and family.model_type in ("blip-2", "instructblip")
        self._inner = loaded.model.language_model if self._within else loaded.model
        self._keeps = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters
        self._along = ALONG.get(family.model_type, ALONG[""])
        self._after = AFTER.get(family.model_type, "")

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the facts about the model, its device and the scoring of options."""
        return {**self._loaded.about, "ranking": self._way, "score": self._score, "without_image": self._without_image}

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Rank the options of one question after the other."""
        for question in questions:
            if stop():
                return
            tell(self._asked(question))

    def close(self) -> None:
        """Give its memory back."""
        import torch

        del self._model, self._inner, self._loaded
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

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
        while True:
            try:
                ranking, length, detail = self.rank(question)
                winner = ranking.winner
                break
            except CannotRank as error:
                return replace(empty, error=str(error), seconds=time.perf_counter() - begun)
            except CannotEncode as error:
                return replace(empty, outcome=Outcome.SKIPPED, error=str(error), seconds=time.perf_counter() - begun)
            except Exception as error:  # a model may raise any error; the other questions continue
                if out_of_memory(error) and self._at_once > 1:
                    self._at_once = max(1, min(self._at_once, len(question.options)) // 2)
                    continue
                sentence = f"The model failed on this item: {short_error(error)}"
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
        """Return the ranking, the number of tokens in the prompt, and the way it was computed.

        Raises
        ------
        CannotRank
            The message gives the reason.
        """
        check_options(question.options)
        blind = None
        if self._without_image and question.pictures:
            texts = tuple(part for part in question.parts if isinstance(part, str))
            blind, _, _, _ = self._scored(replace(question, parts=texts))
        elif self._score == "pmi_logprob":
            raise CannotRank("The score pmi_logprob compares with and without pictures, and this question has none.")
        values, encoded, found, way = self._scored(question)
        try:
            options = tuple(
                Option.of(text, each, None if blind is None else blind[place])
                for place, (text, each) in enumerate(zip(question.options, values, strict=True))
            )
        except ValueError as error:  # in half precision numbers can run over
            raise CannotRank(str(error)) from error
        prompt = encoded.prompts[0]
        more = {**prompt.notes, "way": way, "end_token": found.end, "joint": found.joint, "rendered": prompt.text}
        return Ranking(options, self._score), encoded.lengths[0], more

    def learnt(self, question: Question) -> list[torch.Tensor]:
        """Return the log-probability of each token of each option, by whole passes that keep gradients.

        Raises
        ------
        CannotRank, CannotAsk
            The message gives the reason.
        """
        import torch

        if self._loaded.encoder_decoder:
            raise CannotRank(
                f"{self._family.title} answers with a half of its own, and only decoders can be learnt on."
            )
        encoded, found = self._prepared(question)
        values = []
        for option in found.tokens:
            rows = torch.log_softmax(self._rows(encoded.inputs, option).float(), -1)
            wanted = torch.tensor([max(token, 0) for token in option], device=rows.device)
            picked = rows.gather(1, wanted[:, None])[:, 0]
            if option[-1] == _END:
                end = torch.logsumexp(rows[-1, list(self._loaded.end_ids)], 0)
                picked = torch.cat([picked[:-1], end[None]])
            values.append(picked)
        return values

    def _prepared(self, question: Question) -> tuple[EncodedBatch, OptionTokens]:
        """Return a question in the model's form, and its options as the tokens that follow it."""
        loaded = self._loaded
        prompt = prompt_of(loaded, question)
        options = [neutral(option, loaded.special)[0] for option in question.options]
        if loaded.encoder_decoder:
            found = replace(cut(loaded.tokenizer, "", options), prompt=prompt.text)  # a decoder begins with them
        else:
            found = cut(loaded.tokenizer, prompt.text + self._after, options, loaded.special)
        if found.end and not loaded.end_ids:
            raise CannotRank("One option is the beginning of another, and this model has no token that ends an answer.")
        encoded = encode_prompts(loaded, [replace(prompt, text=found.prompt.removesuffix(self._after))])
        if not loaded.encoder_decoder:
            ids = encoded.inputs["input_ids"]
            self._check(ids, found.prompt)
            length = ids.shape[1] + max(map(len, found.tokens))
            if loaded.room is not None and length > loaded.room:
                raise CannotRank(
                    f"Question and longest option take {length} tokens; {loaded.spec.name} holds {loaded.room}."
                )
        return encoded, found

    def _scored(self, question: Question) -> tuple[list[list[float]], EncodedBatch, OptionTokens, str]:
        import torch

        encoded, found = self._prepared(question)
        inputs = encoded.inputs
        different = list(dict.fromkeys(found.tokens))
        way = self._way
        with torch.inference_mode():
            if self._loaded.encoder_decoder:
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
        return [by_tokens[each] for each in found.tokens], encoded, found, way

    def _check(self, ids: torch.Tensor, prompt: str) -> None:
        """Check that the processor ends the prompt where the options were cut."""
        tail = _ids(self._loaded.tokenizer, [prompt])[0][-4:]
        # Marks become other tokens when pictures replace them, so only the text after the last mark is compared.
        marks = [place for place, token in enumerate(tail) if token in self._marks]
        tail = tail[marks[-1] + 1 :] if marks else tail
        if tail and ids[0, -len(tail) :].tolist() != tail:
            raise CannotRank(
                "The processor of this model puts something after the prompt, so that an option would not follow it."
            )

    # From the whole, once per option.

    def _naive(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        return [self._gathered(self._rows(inputs, option), option) for option in options]

    def _rows(self, inputs: Mapping[str, Any], option: tuple[int, ...]) -> torch.Tensor:
        """Return the logits of each token of an option after a question."""
        import torch

        fed = _tokens_read(option)
        more = dict(inputs)
        ids = inputs["input_ids"]
        more["input_ids"] = torch.cat([ids, ids.new_tensor([fed])], 1)
        others = {name: 0 for name in inputs if name.endswith("token_type_ids")}
        for name, value in {**others, **self._along}.items():
            if name in inputs:
                given = inputs[name]
                more[name] = torch.cat([given, given.new_full((1, len(fed)), value)], 1)
        for name in _LIKE_THE_LAST:
            if name in inputs:
                given = inputs[name]
                more[name] = torch.cat([given, given[:, -1:].expand(-1, len(fed), *given.shape[2:])], 1)
        self._forget()
        if self._keeps:  # of a long prompt over a large vocabulary, logits would fill gigabytes
            more["logits_to_keep"] = len(fed) + 1
        logits: torch.Tensor = self._model(**more, use_cache=False).logits
        start = logits.shape[1] - len(fed) - 1
        return logits[0, start : start + len(option)]

    # The prompt once, then the options.

    def _read(self, inputs: Mapping[str, Any]) -> tuple[Any, torch.Tensor, int]:
        """Return the cache of the prompt, the logits of the first token, and the next position."""
        self._forget()
        out = self._model(**inputs, use_cache=True, logits_to_keep=1)
        kept = out.language_model_outputs.past_key_values if self._within else out.past_key_values
        last = int(inputs["input_ids"].shape[1])
        return kept, out.logits[0, -1], last

    def _forget(self) -> None:
        """Clear the state of the previous question."""
        if self._family.ranking == "positions":
            self._model.model.rope_deltas = None

    def _cached(
        self, kept: Any, first: torch.Tensor, last: int, options: Sequence[tuple[int, ...]]
    ) -> list[list[float]]:
        """Return the scores of options in parallel, as many at once as there is memory for copies of the cache."""
        import torch

        begin = _log_softmax(first)
        found: dict[int, list[float]] = {}
        rest = []
        for place, option in enumerate(options):
            found[place] = self._picked(begin, option[:1])
            if len(option) > 1:
                rest.append(place)
        rest.sort(key=lambda place: len(options[place]))  # so that little is filled up in a group
        size = min(self._at_once, max(1, _room(first.device) // max(1, _bytes(kept))))
        for start in range(0, len(rest), size):
            group = rest[start : start + size]
            fed = [_tokens_read(options[place]) for place in group]
            width = max(map(len, fed))
            ids = torch.tensor([[*each, *each[-1:] * (width - len(each))] for each in fed], device=first.device)
            # Padding comes after all tokens that count, and no token looks ahead, so no mask is needed.
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
        """Return the logits of several rows that all continue from the cache."""
        import torch

        given: dict[str, Any] = {}
        if self._family.ranking == "positions":
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
        """Return the scores of all options in one row, in which each option sees only the prompt and itself."""
        import torch

        begin = _log_softmax(first)
        found = [self._picked(begin, option[:1]) for option in options]
        fed = [_tokens_read(option) for option in options]
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
        read = (out.language_model_outputs if self._within else out).encoder_last_hidden_state
        size = min(self._at_once, max(1, _room(device) // max(1, 8 * read.numel() * read.element_size())))
        found: list[list[float]] = []
        for at in range(0, len(options), size):
            group = options[at : at + size]
            width = max(map(len, group))
            # The last token is never read, and padding comes after all tokens that count.
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
        # Loading has put it there, also where only the part that writes has it, as in Florence-2.
        return int(self._inner.generation_config.decoder_start_token_id)

    # From logits to log-probabilities.

    def _gathered(self, rows: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """Return the log-probability of each token in its row of logits."""
        found: list[float] = []
        for start in range(0, len(tokens), 64):  # a large vocabulary in float64 takes much room
            found += self._picked(_log_softmax(rows[start : start + 64]), tokens[start : start + 64])
        return found

    def _picked(self, logprobs: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """Return the tokens' entries. The end of the answer is any of the end tokens."""
        import torch

        table = logprobs.expand(len(tokens), -1)
        wanted = torch.tensor([max(token, 0) for token in tokens], device=table.device)
        values: list[float] = table.gather(1, wanted[:, None])[:, 0].tolist()
        for row, token in enumerate(tokens):
            if token == _END:
                values[row] = float(torch.logsumexp(table[row, list(self._loaded.end_ids)], 0))
        return values


def _tokens_read(option: Sequence[int]) -> list[int]:
    """Return the tokens that are fed to the model: all except the last, which is only predicted."""
    return list(option[:-1])


def _log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Return the log-softmax in float64, because over a large vocabulary float32 costs 1e-5."""
    import torch

    if logits.device.type == "mps":  # which knows no float64
        logits = logits.cpu()
    return torch.log_softmax(logits.double(), -1)


def _layers(kept: Any) -> list[Any]:
    return list(getattr(kept, "layers", ()))


def _plain(kept: Any) -> bool:
    """Return whether the cache has only keys and values, which can be copied for several options."""
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
    """Return the cache for this number of rows. The original stays unchanged, and copies are made only on growth."""
    spread = copy.copy(kept)
    spread.layers = []
    for layer in kept.layers:
        again = copy.copy(layer)
        again.keys = layer.keys.expand(rows, -1, -1, -1)
        again.values = layer.values.expand(rows, -1, -1, -1)
        spread.layers.append(again)
    return spread
