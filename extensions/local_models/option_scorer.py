"""The likelihood that a local model gives each option as a continuation of a question.

Pictures and prompt go through the model once, and the options are scored from its cache. The rules for a correct score
are in ``inference.options``.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from domain.runs import Question
from extensions.local_models.encoding import EncodedBatch, encode_prompts
from extensions.local_models.loading import LoadedModel
from extensions.local_models.option_tokens import END, OptionTokens, cut, token_ids
from extensions.local_models.prompts import neutral, prompt_of
from inference.options import CannotRank

if TYPE_CHECKING:
    import torch

ROOM = 2**30
"""The bytes that copies of the cache may use on a processor. On a GPU, a quarter of the free memory is used."""

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


class OptionScorer:
    """Scores the options of a question with a loaded model."""

    def __init__(self, loaded: LoadedModel, way: str) -> None:
        self._loaded, self._model, self._family = loaded, loaded.model, loaded.family
        self._way = way
        """The fastest way that is correct for the family, a value of ``ranking`` in the description."""
        self._marks = frozenset(loaded.tokenizer.convert_tokens_to_ids(list(loaded.special)))
        self._at_once = 1000
        """The largest number of options in parallel. It is reduced when memory has run out."""
        kind = loaded.family.model_type
        self._within = hasattr(loaded.model, "language_model") and kind in ("blip-2", "instructblip")
        self._inner = loaded.model.language_model if self._within else loaded.model
        self._keeps = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters
        self._along = ALONG.get(kind, ALONG[""])
        self._after = AFTER.get(kind, "")

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
                f"{self._family.title} has a separate encoder, but Touchstone can tune only decoder models. "
                "Choose a decoder model."
            )
        encoded, option_tokens = self._prepared(question)
        values = []
        for option in option_tokens.tokens:
            rows = torch.log_softmax(self._rows(encoded.inputs, option).float(), -1)
            wanted = torch.tensor([max(token, 0) for token in option], device=rows.device)
            picked = rows.gather(1, wanted[:, None])[:, 0]
            if option[-1] == END:
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
            option_tokens = replace(
                cut(loaded.tokenizer, "", options), prompt=prompt.text
            )  # a decoder begins with them
        else:
            option_tokens = cut(loaded.tokenizer, prompt.text + self._after, options, loaded.special)
        if option_tokens.end and not loaded.end_ids:
            raise CannotRank(
                "One option is the beginning of another option, and this model has no token that ends an "
                "answer. Change the options, or choose another model."
            )
        encoded = encode_prompts(loaded, [replace(prompt, text=option_tokens.prompt.removesuffix(self._after))])
        if not loaded.encoder_decoder:
            ids = encoded.inputs["input_ids"]
            self._check(ids, option_tokens.prompt)
            length = ids.shape[1] + max(map(len, option_tokens.tokens))
            if loaded.room is not None and length > loaded.room:
                raise CannotRank(
                    f"The question and its longest option have {length} tokens, but {loaded.spec.name} accepts at "
                    f"most {loaded.room}. Use a model with a longer context."
                )
        return encoded, option_tokens

    def _scored(self, question: Question) -> tuple[list[list[float]], EncodedBatch, OptionTokens, str]:
        import torch

        encoded, option_tokens = self._prepared(question)
        inputs = encoded.inputs
        different = list(dict.fromkeys(option_tokens.tokens))
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
        return [by_tokens[token] for token in option_tokens.tokens], encoded, option_tokens, way

    def _check(self, ids: torch.Tensor, prompt: str) -> None:
        """Check that the processor ends the prompt where the options were cut."""
        tail = token_ids(self._loaded.tokenizer, [prompt])[0][-4:]
        # Marks become other tokens when pictures replace them, so only the text after the last mark is compared.
        marks = [place for place, token in enumerate(tail) if token in self._marks]
        tail = tail[marks[-1] + 1 :] if marks else tail
        if tail and ids[0, -len(tail) :].tolist() != tail:
            raise CannotRank(
                "The processor of this model adds text after the prompt, so options cannot follow the prompt "
                "directly. Choose another model."
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
        by_place: dict[int, list[float]] = {}
        rest = []
        for place, option in enumerate(options):
            by_place[place] = self._picked(begin, option[:1])
            if len(option) > 1:
                rest.append(place)
        rest.sort(key=lambda place: len(options[place]))  # so that little is filled up in a group
        size = min(self._at_once, max(1, _room(first.device) // max(1, _bytes(kept))))
        for start in range(0, len(rest), size):
            group = rest[start : start + size]
            fed = [_tokens_read(options[place]) for place in group]
            width = max(map(len, fed))
            ids = torch.tensor([[*tokens, *tokens[-1:] * (width - len(tokens))] for tokens in fed], device=first.device)
            # Padding comes after all tokens that count, and no token looks ahead, so no mask is needed.
            seen = torch.ones((len(group), last + width), dtype=torch.long, device=first.device)
            logits = self._on(kept, len(group), ids, seen, last)
            rows = torch.cat([logits[row, : len(options[place]) - 1] for row, place in enumerate(group)])
            values = self._gathered(rows, [token for place in group for token in options[place][1:]])
            for place in group:
                more = len(options[place]) - 1
                by_place[place] += values[:more]
                values = values[more:]
        return [by_place[place] for place in range(len(options))]

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
        likelihoods = [self._picked(begin, option[:1]) for option in options]
        fed = [_tokens_read(option) for option in options]
        flat = [token for tokens in fed for token in tokens]
        if not flat:
            return likelihoods
        allow = torch.zeros((len(flat), last + len(flat)), dtype=torch.bool, device=first.device)
        allow[:, :last] = True
        places: list[int] = []
        at = 0
        for tokens in fed:
            stop = at + len(tokens)
            allow[at:stop, last + at : last + stop] = torch.ones((len(tokens),) * 2, dtype=torch.bool).tril()
            places += range(last, last + len(tokens))
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
        for place, (option, tokens) in enumerate(zip(options, fed, strict=True)):
            rows = out.logits[0, at : at + len(option) - 1]
            likelihoods[place] += self._gathered(rows, option[1:])
            at += len(tokens)
        return likelihoods

    # Models that read with one half and answer with the other.

    def _decoded_naively(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        import torch

        likelihoods = []
        for option in options:
            ids = torch.tensor([[self._start, *option[:-1]]], device=inputs["input_ids"].device)
            out = self._model(**inputs, decoder_input_ids=ids, use_cache=False)
            likelihoods.append(self._gathered(out.logits[0], option))
        return likelihoods

    def _decoded(self, inputs: Mapping[str, Any], options: Sequence[tuple[int, ...]]) -> list[list[float]]:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        device = inputs["input_ids"].device
        begin = torch.tensor([[self._start]], device=device)
        out = self._model(**inputs, decoder_input_ids=begin, use_cache=False)
        read = (out.language_model_outputs if self._within else out).encoder_last_hidden_state
        size = min(self._at_once, max(1, _room(device) // max(1, 8 * read.numel() * read.element_size())))
        likelihoods: list[list[float]] = []
        for at in range(0, len(options), size):
            group = options[at : at + size]
            width = max(map(len, group))
            # The last token is never read, and padding comes after all tokens that count.
            ids = [[self._start, *tokens[:-1], *[0] * (width - len(tokens))] for tokens in group]
            logits = self._inner(
                encoder_outputs=BaseModelOutput(last_hidden_state=read.expand(len(group), -1, -1)),
                attention_mask=inputs["attention_mask"].expand(len(group), -1),
                decoder_input_ids=torch.tensor(ids, device=device),
                use_cache=False,
            ).logits
            likelihoods += [self._gathered(logits[row, : len(tokens)], tokens) for row, tokens in enumerate(group)]
        return likelihoods

    @property
    def _start(self) -> int:
        # Loading has put it there, also where only the part that writes has it, as in Florence-2.
        return int(self._inner.generation_config.decoder_start_token_id)

    # From logits to log-probabilities.

    def _gathered(self, rows: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """Return the log-probability of each token in its row of logits."""
        likelihoods: list[float] = []
        for start in range(0, len(tokens), 64):  # a large vocabulary in float64 takes much room
            likelihoods += self._picked(_log_softmax(rows[start : start + 64]), tokens[start : start + 64])
        return likelihoods

    def _picked(self, logprobs: torch.Tensor, tokens: Sequence[int]) -> list[float]:
        """Return the tokens' entries. The end of the answer is any of the end tokens."""
        import torch

        table = logprobs.expand(len(tokens), -1)
        wanted = torch.tensor([max(token, 0) for token in tokens], device=table.device)
        values: list[float] = table.gather(1, wanted[:, None])[:, 0].tolist()
        for row, token in enumerate(tokens):
            if token == END:
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
