"""Ranking of a closed set of options by the likelihood that a local model gives each as an answer."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.errors import ModelError
from domain.option_scores import MEANINGS, Option, Ranking
from domain.runs import Attempt, Outcome, Question
from extensions.local_models.libraries import out_of_memory, short_error
from extensions.local_models.loading import LoadedModel, load
from extensions.local_models.option_scorer import OptionScorer
from extensions.local_models.prompts import CannotEncode
from inference.options import CannotRank, check_options
from inference.spec import ModelPermissions, ModelSpec

PACKED = frozenset({"llava", "llava_next", "llava_onevision", "video_llava", "internvl", "idefics3", "smolvlm"})
"""Families, by ``model_type``, whose options may share one row under a block mask."""


def open_ranker(spec: ModelSpec, allowed: ModelPermissions, score: str, without_image: bool) -> Ranker:
    """Open the model of a description for ranking. Raises ``ModelError``."""
    return Ranker(load(spec, allowed), score=score, without_image=without_image)


class Ranker(OptionScorer):
    """Answers with the likeliest option."""

    def __init__(self, loaded: LoadedModel, *, score: str = "mean_logprob", without_image: bool = False) -> None:
        """Prepare the ranking. Raises ``ModelError`` if the score does not fit the model."""
        family, asked = loaded.family, loaded.spec.ranking
        if score not in MEANINGS:
            raise ModelError(f"Unknown option score `{score}`. Choose one of {', '.join(MEANINGS)}.")
        without_image = without_image or score == "pmi_logprob"
        if without_image and family.needs_picture:
            raise ModelError(
                f"{family.title} cannot answer without a picture, so Touchstone cannot measure the effect of "
                "pictures on an option's likelihood. Choose another score, and remove `without_image`."
            )
        if asked == "packed" and family.model_type not in PACKED:
            raise ModelError(
                f"{family.title} cannot rank options that are packed into one row. Set `ranking: auto` for "
                f"{loaded.spec.name}."
            )
        if asked == "cached" and family.ranking == "naive":
            raise ModelError(
                f"{family.title} ranks options reliably only with a separate pass for each option. Set `ranking: "
                f"auto` for {loaded.spec.name}."
            )
        super().__init__(loaded, ("naive" if family.ranking == "naive" else "cached") if asked == "auto" else asked)
        self._score, self._without_image = score, without_image

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
            raise CannotRank(
                "The score pmi_logprob compares answers with and without pictures, but this question has no "
                "pictures. Choose another score."
            )
        values, encoded, option_tokens, way = self._scored(question)
        try:
            options = tuple(
                Option.of(text, likelihoods, None if blind is None else blind[place])
                for place, (text, likelihoods) in enumerate(zip(question.options, values, strict=True))
            )
        except ValueError as error:  # in half precision numbers can run over
            raise CannotRank(str(error)) from error
        prompt = encoded.prompts[0]
        more = {
            **prompt.notes,
            "way": way,
            "end_token": option_tokens.end,
            "joint": option_tokens.joint,
            "rendered": prompt.text,
        }
        return Ranking(options, self._score), encoded.lengths[0], more
