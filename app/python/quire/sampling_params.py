"""How answers are sampled: vLLM's SamplingParams."""

from __future__ import annotations

import copy
import math
import operator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Callable, Optional, Union

from . import _quire
from .errors import invalid, shown, unsupported
from .messages import checked_text
from .structured_outputs import AnswerForm, StructuredOutputsParams, answer_form

_MAX_TOKENS = 2**31 - 1

# Fields of vLLM's that Quire does not have: any value but these is an error.
_UNSUPPORTED: dict[str, tuple[tuple[Any, ...], str]] = {
    "prompt_logprobs": ((None,), "log probabilities of prompts are not computed"),
    "bad_words": ((None, []), "words cannot be forbidden"),
    "allowed_token_ids": ((None,), "tokens cannot be restricted"),
    "logits_processors": ((None, []), "logits are not passed to Python"),
    "spaces_between_special_tokens": ((True,), "special tokens are written as they are"),
    "extra_args": ((None, {}), "there are no further arguments"),
    "use_beam_search": ((False,), "there is no beam search; use best_of"),
    "length_penalty": ((1, 1.0), "there is no beam search; use best_of"),
    "early_stopping": ((False,), "there is no beam search; use best_of"),
    "flat_logprobs": ((False,), "logprobs are a list of dictionaries"),
    "logprob_token_ids": ((None,), "log probabilities are those of the likeliest tokens"),
    "prompt_logprob_token_ids": ((None,), "log probabilities of prompts are not computed"),
    "prompt_logprob_start": ((None,), "log probabilities of prompts are not computed"),
    "thinking_token_budget": ((None, -1), "reasoning has no limit of its own; use max_tokens"),
    "repetition_detection": ((None,), "use the penalties"),
    "stream_interval": ((None, 1), "each output comes as soon as there is one"),
}


class RequestOutputKind(IntEnum):
    """What each output of a stream holds: all so far, what is new, or the end alone."""

    CUMULATIVE = 0
    DELTA = 1
    FINAL_ONLY = 2


@dataclass
class SamplingParams:
    """How an answer is sampled; the names and defaults are vLLM's.

    A value that Quire does not support is an error that names it, never ignored.

    n: answers to each prompt. best_of: of so many, the n likeliest.
    temperature: 0 takes the likeliest token. top_k: 0 or -1 keeps all tokens.
    seed: the same seed, prompt and model give the same answer, whatever runs beside it; the
    answers of one prompt use seed, seed + 1, ... None: one made from the engine's seed.
    stop: strings before which an answer ends; stop_token_ids: the same for tokens.
    max_tokens: None is as many as the context holds. min_tokens: the answer has at least so many,
    whatever would end it before.
    logprobs: the log probability of each token and of so many likeliest ones, at most 100.
    logit_bias: token id to a number from -100 to 100 that is added to its logit.
    truncate_prompt_tokens: only so many of the prompt's last tokens are used.
    structured_outputs: the answer is JSON, JSON of a schema, or one of some texts.
    guided_decoding: its older name.
    """

    n: int = 1
    best_of: Optional[int] = None
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: Optional[int] = None
    stop: Union[None, str, list[str]] = None
    stop_token_ids: Optional[list[int]] = None
    ignore_eos: bool = False
    max_tokens: Optional[int] = 16
    min_tokens: int = 0
    logprobs: Optional[int] = None
    prompt_logprobs: Optional[int] = None
    detokenize: bool = True
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    include_stop_str_in_output: bool = False
    truncate_prompt_tokens: Optional[int] = None
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE
    logit_bias: Optional[dict[int, float]] = None
    bad_words: Optional[list[str]] = None
    allowed_token_ids: Optional[list[int]] = None
    logits_processors: Optional[list[Callable[..., Any]]] = None
    guided_decoding: Optional[StructuredOutputsParams] = None
    structured_outputs: Optional[StructuredOutputsParams] = None
    extra_args: Optional[dict[str, Any]] = None
    use_beam_search: bool = False
    length_penalty: float = 1.0
    early_stopping: bool = False
    flat_logprobs: bool = False
    logprob_token_ids: Optional[list[int]] = None
    prompt_logprob_token_ids: Optional[list[int]] = None
    prompt_logprob_start: Optional[int] = None
    thinking_token_budget: Optional[int] = None
    repetition_detection: Optional[Any] = None
    stream_interval: Optional[int] = None

    def __post_init__(self) -> None:
        self._check()

    @classmethod
    def from_optional(cls, **params: Any) -> SamplingParams:
        """The same, where None stands for the default."""
        return cls(**{name: value for name, value in params.items()
                      if value is not None or name == "max_tokens"})

    def clone(self) -> SamplingParams:
        """A copy that can be changed."""
        cloned = copy.copy(self)
        for name in ("stop", "stop_token_ids", "logit_bias"):
            setattr(cloned, name, copy.copy(getattr(self, name)))
        return cloned

    @property
    def num_sampled(self) -> int:
        """How many answers are computed for each prompt."""
        return self.n if self.best_of is None else self.best_of

    def to_engine(self, seed: int) -> _quire.Sampling:
        """The engine's parameters. Fields may have been set since the last check."""
        engine = self._check()
        engine.seed = seed % 2**64
        return engine

    def answer_form(self) -> AnswerForm:
        """What the answer must be."""
        forms = [answer_form(name, getattr(self, name))
                 for name in ("structured_outputs", "guided_decoding")]
        if None not in forms:
            raise invalid("structured_outputs and guided_decoding are the same; give one.")
        return forms[0] or forms[1] or AnswerForm()

    def _check(self) -> _quire.Sampling:
        for name, (allowed, why) in _UNSUPPORTED.items():
            value = getattr(self, name)
            if not any(value is other or value == other for other in allowed):
                raise unsupported(f"{name}={shown(value)} is not supported: {why}.")
        self._check_counts()
        self._check_stops()
        self.answer_form()
        engine = _quire.Sampling()
        for name in ("presence_penalty", "frequency_penalty", "repetition_penalty", "temperature",
                     "top_p", "min_p"):
            setattr(engine, name, _number(name, getattr(self, name)))
        top_k = _integer("top_k", self.top_k, -1, _MAX_TOKENS)
        engine.top_k = max(top_k, 0)
        engine.ignore_eos = bool(self.ignore_eos)
        engine.stop = self.stop_list()
        engine.stop_token_ids = token_ids("stop_token_ids", self.stop_token_ids or [])
        engine.max_tokens = _MAX_TOKENS if self.max_tokens is None else self.max_tokens
        engine.min_tokens = self.min_tokens
        engine.num_logprobs = self._num_logprobs()
        engine.set_logit_bias(_biases(self.logit_bias))
        engine.check()
        return engine

    def _check_counts(self) -> None:
        self.n = _integer("n", self.n, 1, _quire.MAX_ANSWERS)
        if self.best_of is not None:
            self.best_of = _integer("best_of", self.best_of, 1, _quire.MAX_ANSWERS)
            if self.best_of < self.n:
                raise invalid(f"best_of is {self.best_of}; it must be at least n, {self.n}.")
        if self.max_tokens is not None:
            self.max_tokens = _integer("max_tokens", self.max_tokens, 1, _MAX_TOKENS)
        self.min_tokens = _integer("min_tokens", self.min_tokens, 0, _MAX_TOKENS)
        if self.truncate_prompt_tokens is not None:
            self.truncate_prompt_tokens = _integer(
                "truncate_prompt_tokens", self.truncate_prompt_tokens, 1, _MAX_TOKENS)
        if self.seed is not None:
            self.seed = _integer("seed", self.seed, -(2**63), 2**64 - 1)
        self.output_kind = RequestOutputKind(self.output_kind)

    def _check_stops(self) -> None:
        for stop in self.stop_list():
            if not isinstance(stop, str):
                raise invalid("stop must be a string or a list of strings.")
            checked_text("stop", stop)
        if not self.detokenize and self.stop_list():
            raise invalid("stop needs detokenize=True; use stop_token_ids instead.")
        if not self.skip_special_tokens and self.stop_list():
            raise unsupported("skip_special_tokens=False is not supported together with stop; use "
                              "stop_token_ids instead.")

    def stop_list(self) -> list[str]:
        """The stop strings as a list."""
        if self.stop is None:
            return []
        return [self.stop] if isinstance(self.stop, str) else list(self.stop)

    def _num_logprobs(self) -> int:
        if self.logprobs is not None:
            return _integer("logprobs", self.logprobs, 0, _quire.MAX_LOGPROBS)
        # The likeliest answers are chosen by their tokens' probabilities.
        return 0 if self.num_sampled > self.n else -1


def _integer(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise invalid(f"{name} must be a whole number, not {shown(value)}.") from None
    if isinstance(value, bool):
        raise invalid(f"{name} must be a whole number, not {shown(value)}.")
    if not low <= number <= high:
        raise invalid(f"{name} is {shown(number)}; it must be at least {low} and at most {high}.")
    return number


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise invalid(f"{name} must be a number, not {shown(value)}.") from None
    if isinstance(value, (bool, str)) or math.isnan(number):
        raise invalid(f"{name} must be a number, not {shown(value)}.")
    return number


def token_ids(name: str, ids: Any) -> list[int]:
    """A list of token ids as the engine takes them."""
    if isinstance(ids, (str, bytes)):
        raise invalid(f"{name} must be a list of token ids, not text.")
    try:
        return [_integer(f"a token of {name}", id, 0, _MAX_TOKENS) for id in ids]
    except TypeError:
        raise invalid(f"{name} must be a list of token ids, not {shown(ids)}.") from None


def _biases(biases: Optional[dict[int, float]]) -> list[tuple[int, float]]:
    if not biases:
        return []
    if not isinstance(biases, dict):
        raise invalid("logit_bias must be a dictionary from token ids to numbers.")
    return [(_integer("a token of logit_bias", _numeric(id), 0, _MAX_TOKENS),
             _number("a number of logit_bias", bias)) for id, bias in biases.items()]


def _numeric(id: Any) -> Any:
    """As in OpenAI's JSON, ids may be written as strings; Python reads no endless numbers."""
    return int(id) if isinstance(id, str) and id.isdecimal() and len(id) <= 20 else id
