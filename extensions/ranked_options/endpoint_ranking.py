"""Ranking of options by the likelihood that a model behind an endpoint gives each as a continuation of the question.

The server gets the prompt alone, and the prompt with each option, and returns the likelihood of every token. The tokens
after the prompt are the option. The cut is the same as for local models, by the server's own tokenizer
(``inference.options``). Every request is reported as an attempt, and an item's last attempt holds the ranking.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from domain.errors import ModelError
from domain.option_scores import MEANINGS, Option, Ranking
from domain.runs import Attempt, Outcome, Question
from extensions.ranked_options import likelihoods
from extensions.ranked_options.likelihoods import TokenLikelihood
from inference.endpoint import estimate
from inference.endpoint.answerer import EndpointAnswerer, not_asked, turns
from inference.endpoint.asking import Call, CannotRequest, Messages
from inference.endpoint.client import Client
from inference.endpoint.opening import EndpointStrategy
from inference.endpoint.replies import EndpointReply
from inference.options import CannotRank, check_options, joined, one_begins_another, tokens_after
from inference.spec import ModelSpec

_REFUSING = (400, 404, 405, 422, 501)
"""Statuses of a server that does not support the requests for ranking."""


@dataclass(frozen=True)
class _Text:
    """One text whose likelihood is requested."""

    option: str | None
    """The option; None for the prompt alone."""
    blind: bool = False
    """Without pictures."""
    ended: bool = False
    """The text includes the token that ends an answer."""


@dataclass
class _RankingQuestion:
    """A question whose options are being ranked."""

    question: Question
    waiting: set[_Text] = field(default_factory=set)
    """Texts that are still asked for."""
    found: dict[_Text, Sequence[TokenLikelihood]] = field(default_factory=dict)
    failed: Attempt | None = None
    """The first attempt that ended without likelihoods."""
    requests: int = 0
    ended: bool = False
    """Whether the end of the answer counts."""

    @property
    def options(self) -> list[str]:
        """Return each distinct option once."""
        return list(dict.fromkeys(self.question.options))


class RankingAnswerer(EndpointAnswerer):
    """Implements ``domain.runs.Answerer`` for ``rank_options``."""

    def __init__(
        self, spec: ModelSpec, client: Client, *, score: str = "mean_logprob", without_image: bool = False
    ) -> None:
        """Prepare the ranking. Raises ``ModelError`` for an unknown score."""
        assert spec.endpoint is not None
        assert spec.endpoint.likelihoods is not None
        if score not in MEANINGS:
            raise ModelError(f"Unknown option score `{score}`. Choose one of {', '.join(MEANINGS)}.")
        super().__init__(spec, client)
        settings = spec.endpoint.likelihoods
        self._by, self._end = settings.by, settings.end_token
        self._score, self._without_image = score, without_image or score == "pmi_logprob"
        # Only likelihoods are requested and no text is generated, so no other parameter has an effect.
        least = {spec.endpoint.length_parameter: 1, "temperature": 0.0}
        own = likelihoods.CHAT if self._by == "chat" else likelihoods.COMPLETIONS
        if self._by == "completions":
            least["max_tokens"] = least.pop(spec.endpoint.length_parameter)
        self._parameters = {name: value for name, value in least.items() if name not in spec.endpoint.omit} | dict(own)
        self._parameters |= spec.generation.extra_body  # such as arguments of the chat template
        self._works = False
        """Whether a reply has held likelihoods."""
        self._about |= {
            "parameters": dict(self._parameters),
            "ranking": self._by,
            "end_token": self._end,
            "score": score,
            "without_image": self._without_image,
        }

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Rank the options of all questions; see ``Answerer.answer``."""
        open_: dict[int, _RankingQuestion] = {}
        for question in questions:
            try:
                if not question.cannot:
                    self._check(question)
                    open_[question.unit_id] = _RankingQuestion(question)
                    continue
                tell(not_asked(question, Outcome.SKIPPED, question.cannot))
            except CannotRequest as error:
                tell(not_asked(question, Outcome.SKIPPED, str(error)))
            except CannotRank as error:
                tell(not_asked(question, Outcome.FAILED, str(error)))
        calls = [call for ranked in open_.values() for call in self._calls(ranked, ended=False)]
        while calls:
            further: list[Call] = []
            self._asking.ask(calls, tell=functools.partial(self._take, open_, further, tell), stop=stop)
            if stop():
                return
            calls = further

    def _check(self, question: Question) -> None:
        """Raise an error for a question that cannot be ranked, before any request. Raises ``CannotRank`` and
        ``CannotRequest``.
        """
        check_options(question.options)
        if question.pictures and self._by == "completions":
            raise CannotRequest(
                "The question has pictures, but a completions endpoint accepts only text. Run the model without "
                "pictures, or rank with `likelihoods: {by: chat}`."
            )
        if self._score == "pmi_logprob" and not question.pictures:
            raise CannotRank(
                "The score pmi_logprob compares answers with and without pictures, but this question has no "
                "pictures. Choose another score."
            )

    # ---- what is sent ----

    def _calls(self, ranked: _RankingQuestion, *, ended: bool) -> list[Call]:
        """Return the requests about a question. ``ended`` selects those with the end of the answer, which follow the
        others.
        """
        blinds = (False, True) if self._without_image and ranked.question.pictures else (False,)
        heads = [] if ended else [None]
        texts = [_Text(option, blind, ended) for blind in blinds for option in [*heads, *ranked.options]]
        ranked.waiting = set(texts)
        return [self._call_about(ranked, text) for text in texts]

    def _call_about(self, ranked: _RankingQuestion, text: _Text) -> Call:
        question = ranked.question
        asked = estimate.without_pictures(question) if text.blind else question
        more = likelihoods.CHAT_WITH_OPTION if self._by == "chat" and text.option is not None else {}

        def messages() -> Messages | str:
            if ranked.failed is not None:  # the scores of the other options are not a ranking
                raise CannotRequest(ranked.failed.error)
            return self._messages(asked, text)

        def reread(reply: EndpointReply) -> EndpointReply:
            reply, tokens = likelihoods.read_likelihoods(reply, by=self._by)
            if tokens:
                self._works = True
                ranked.found[text] = tokens
            elif not self._works and not reply.stop and reply.outcome is Outcome.TRANSPORT_ERROR:
                reply = self._refusing(reply)
            return reply

        return replace(
            self._call(question),
            messages=messages,
            parameters={**self._parameters, **more},
            tokens=estimate.tokens_of(asked) + estimate.tokens_of_text(text.option or ""),
            longest=1,
            detail={"likelihood_of": text.option, "without_image": text.blind, "end": text.ended},
            reread=reread,
        )

    def _refusing(self, reply: EndpointReply) -> EndpointReply:
        """Return the first reply as the end of the run, if the server refuses this kind of request."""
        if reply.status not in _REFUSING:
            return reply
        what = "prompt_logprobs" if self._by == "chat" else "echo and logprobs"
        return replace(
            reply,
            stop=f"{reply.error} Touchstone asked the endpoint for the likelihood of a text ({what}). To rank "
            "options, use an endpoint that reports likelihoods.",
        )

    def _messages(self, question: Question, text: _Text) -> Messages | str:
        option = None if text.option is None else text.option + (self._end if text.ended else "")
        if self._by == "chat":
            messages = list(turns(self._spec, question))
            return messages if option is None else [*messages, {"role": "assistant", "content": option}]
        kept, _, (after,) = joined(_prompt(question), [option or "x"])
        return kept if option is None else kept + after

    # ---- what comes back ----

    def _take(
        self, open_: dict[int, _RankingQuestion], further: list[Call], tell: Callable[[Attempt], None], attempt: Attempt
    ) -> None:
        """Process an attempt. After the last one about its question, conclude the question."""
        ranked = open_[attempt.unit_id]
        asked = attempt.detail
        text = _Text(asked["likelihood_of"], asked["without_image"], asked["end"])
        sent = attempt.status is not None or attempt.outcome is not Outcome.FAILED
        ranked.requests += sent
        if not attempt.final:
            tell(attempt)
            return
        ranked.waiting.discard(text)
        if attempt.outcome is not Outcome.STEP and ranked.failed is None:
            ranked.failed = attempt
        if ranked.waiting:
            if sent:
                tell(replace(attempt, final=False))
            return
        last = self._concluded(ranked, attempt)
        if last is None:
            further += self._calls(ranked, ended=True)
            tell(replace(attempt, final=False))
            return
        del open_[attempt.unit_id]
        tell(last)

    def _concluded(self, ranked: _RankingQuestion, attempt: Attempt) -> Attempt | None:
        """Return the last attempt at a question with its ranking; None if the end of the answer must still be
        requested.
        """
        if ranked.failed is not None:
            why = ranked.failed
            return replace(attempt, outcome=why.outcome, error=why.error, text="", final=True)
        try:
            if not ranked.ended and self._end_counts(ranked):
                if not self._end:
                    raise CannotRank(
                        "One option is the beginning of another option, so the end of an answer is unclear. Set "
                        "`end_token` under `likelihoods` in the model's description."
                    )
                ranked.ended = True
                return None
            ranking = self._ranking(ranked)
        except CannotRank as error:
            return replace(attempt, outcome=Outcome.FAILED, error=str(error), final=True)
        model_detail = {"model": attempt.detail["model"]} if "model" in attempt.detail else {}
        more = {**model_detail, "way": self._by, "end_token": ranked.ended, "requests": ranked.requests}
        return replace(
            attempt,
            outcome=Outcome.ANSWERED,
            text=ranking.winner.text,
            finish_reason="ranked",
            tokens_out=0,
            final=True,
            detail=ranking.dump(**more),
        )

    def _end_counts(self, ranked: _RankingQuestion) -> bool:
        return one_begins_another([self._ids(ranked, _Text(option)) for option in ranked.options])

    def _ids(self, ranked: _RankingQuestion, text: _Text) -> tuple[Hashable, ...]:
        return tuple(token.id for token in self._after(ranked, text))

    def _after(self, ranked: _RankingQuestion, text: _Text) -> Sequence[TokenLikelihood]:
        """Return the tokens of an option, which follow those of the prompt.

        Raises
        ------
        CannotRank
            The option shares a token with the prompt, or other tokens are in between.
        """
        option = text.option or ""
        head, whole = ranked.found[_Text(None, text.blind)], ranked.found[text]
        n = len(tokens_after([token.id for token in head], [token.id for token in whole], option))
        after = whole[len(whole) - n :]
        if text.ended:
            plain = self._after(ranked, replace(text, ended=False))
            same = [token.id for token in after[:-1]] == [token.id for token in plain]
            if not same or after[-1].text.strip() != self._end.strip():
                raise CannotRank(
                    f"The server's tokenizer does not read `{self._end}` as one token after the option “{option}”. "
                    "Set `end_token` to the text of the token that ends an answer of this model."
                )
        elif not likelihoods.stands_for(after, option):
            raise CannotRank(
                "After the prompt, the server adds more text than the option (“"
                f"{''.join(token.text for token in after)}” for “{option}”), so the likelihood of the option alone "
                "is unknown. Use a template that does not insert reasoning before an answer."
            )
        return after

    def _ranking(self, ranked: _RankingQuestion) -> Ranking:
        def numbers(option: str, blind: bool) -> list[float]:
            after = self._after(ranked, _Text(option, blind, ranked.ended))
            return [token.logprob for token in after if token.logprob is not None]

        blind = self._without_image and bool(ranked.question.pictures)
        try:
            return Ranking(
                tuple(
                    Option.of(option, numbers(option, False), numbers(option, True) if blind else None)
                    for option in ranked.question.options
                ),
                self._score,
            )
        except ValueError as error:
            raise CannotRank(str(error)) from error


def _prompt(question: Question) -> str:
    """Return a question as one text, in the form for local models without a template."""
    return "\n\n".join([question.system, question.text]) if question.system else question.text


def check_ranking(spec: ModelSpec) -> None:
    """Raise an error for ranking over an endpoint whose description has no way to rank.

    Raises
    ------
    ModelError
        The message gives the advice.
    """
    if spec.endpoint is not None and spec.endpoint.likelihoods is None:
        raise ModelError(
            f"The description of {spec.name} does not state how its server reports likelihoods. For vLLM, set "
            "`likelihoods: {by: chat}` under `endpoint`. For a completions server that accepts `echo` and "
            "`logprobs`, set `{by: completions}`. You can also rank options with a local model, or let this model "
            "write its answer (strategy `generate`)."
        )


def _open(spec: ModelSpec, client: Client, score: str, without_image: bool) -> EndpointAnswerer:
    return RankingAnswerer(spec, client, score=score, without_image=without_image)


STRATEGY = EndpointStrategy("rank_options", check_ranking, _open)
