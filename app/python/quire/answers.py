"""Answers while they are made: the engine's events into outputs."""

from __future__ import annotations

import time
from typing import Optional, Union

from . import _quire
from .outputs import CompletionOutput, Logprob, LoRARequest, RequestMetrics, RequestOutput
from .prompts import Prompt
from .sampling_params import SamplingParams

_FINISH = {"end": "stop", "stop": "stop", "length": "length", "context": "length",
           "cancelled": "abort"}
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Answer:
    """One answer. Text and tokens are lists of what each event brought, so that a long answer is
    joined where it is read, not with each token."""

    def __init__(self, index: int, params: SamplingParams, text_format: _quire.TextFormat) -> None:
        self.index = index
        self._params = params
        self._format = text_format
        self._texts: list[str] = []
        self._tokens: list[int] = []
        self._logprobs: list[dict[int, Logprob]] = []
        self._cumulative = 0.0
        self._finish: Optional[str] = None
        self._stop_reason: Union[int, str, None] = None
        self._told = (0, 0)  # Characters and tokens of earlier outputs.
        self.usage: Optional[_quire.Usage] = None

    @property
    def finished(self) -> bool:
        """Whether it has ended."""
        return self._finish is not None

    @property
    def mean_logprob(self) -> float:
        """Of a token so far, if log probabilities are computed."""
        return self._cumulative / max(1, len(self._tokens))

    def add(self, event: _quire.Event) -> None:
        """Adds what an event brings. Raises its error if the answer failed."""
        self._tokens += event.tokens
        self._texts.append(event.text)
        for entries in event.logprobs:
            self._cumulative += entries[0][1]
            if self._params.logprobs is not None:
                self._logprobs.append(self._logprob(entries))
        self.usage = event.usage
        finish = event.finish
        if finish is None:
            return
        if finish == "failed":
            self._finish = "abort"
            event.raise_error()
        self._finish = _FINISH[finish]
        if finish == "stop":
            self._stop(event.stop)

    def output(self, delta: bool) -> CompletionOutput:
        """The answer so far, or what is new since the last output."""
        text, tokens, logprobs = self._text(), self._tokens, self._logprobs
        characters, count = self._told if delta else (0, 0)
        self._told = (len(text), len(tokens))
        has_logprobs = self._params.logprobs is not None
        return CompletionOutput(
            index=self.index,
            text=text[characters:],
            token_ids=tokens[count:],
            cumulative_logprob=self._cumulative if has_logprobs else None,
            logprobs=logprobs[count:] if has_logprobs else None,
            finish_reason=self._finish,
            stop_reason=self._stop_reason)

    def has_news(self) -> bool:
        """Whether the next output has more than the last."""
        return self.finished or len(self._tokens) > self._told[1]

    def _text(self) -> str:
        if not self._params.detokenize:
            return ""
        if not self._params.skip_special_tokens:
            text = self._format.decode(self._tokens, True)
            # The bytes at the end may be a part of a character.
            return text if self.finished else text.rstrip(_REPLACEMENT)
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0] if self._texts else ""

    def _stop(self, stop: str) -> None:
        tokens = self._params.stop_token_ids or []
        if stop:
            self._stop_reason = stop
            if self._params.include_stop_str_in_output:
                self._texts.append(stop)
        elif len(tokens) == 1:
            self._stop_reason = tokens[0]

    def _logprob(self, entries: list[tuple[int, float]]) -> dict[int, Logprob]:
        (sampled, logprob), *likeliest = entries
        found = {sampled: Logprob(logprob, None, self._format.token_text(sampled))}
        for rank, (id, value) in enumerate(likeliest, 1):
            if id in found:
                found[id].rank = rank
            else:
                found[id] = Logprob(value, rank, self._format.token_text(id))
        return found


class PendingRequest:
    """A prompt whose answers are being made."""

    def __init__(self, request_id: str, prompt: Prompt, params: SamplingParams,
                 text_format: _quire.TextFormat,
                 lora_request: Optional[LoRARequest] = None) -> None:
        self.request_id = request_id
        self.prompt = prompt
        self.params = params
        self._lora = lora_request
        self._arrival = time.time()
        self._answers = [Answer(i, params, text_format) for i in range(params.num_sampled)]
        self._by_ticket: dict[int, Answer] = {}

    @property
    def tickets(self) -> list[int]:
        """The engine's ids of the answers, in order."""
        return list(self._by_ticket)

    @property
    def finished(self) -> bool:
        """Whether all answers have ended."""
        return all(answer.finished for answer in self._answers)

    def add_ticket(self, ticket: int) -> None:
        """The engine's id of the next answer."""
        self._by_ticket[ticket] = self._answers[len(self._by_ticket)]

    def add(self, event: _quire.Event) -> None:
        """Adds an event of one of the answers. Raises the error of one that failed."""
        self._by_ticket[event.id].add(event)

    def output(self, delta: bool = False) -> RequestOutput:
        """The answers so far, or what is new of them."""
        answers = self._answers
        if delta:
            answers = [answer for answer in answers if answer.has_news()]
        elif self.params.num_sampled > self.params.n:
            answers = self._likeliest()
        outputs = [answer.output(delta) for answer in answers]
        if self.params.num_sampled > self.params.n:
            for index, output in enumerate(outputs):
                output.index = index
        for output in outputs:
            output.lora_request = self._lora
        usage = self._answers[0].usage
        return RequestOutput(
            request_id=self.request_id, prompt=self.prompt.text,
            prompt_token_ids=self.prompt.tokens, outputs=outputs, finished=self.finished,
            metrics=self._metrics(usage) if usage else None,
            num_cached_tokens=usage.cached_tokens if usage else None, lora_request=self._lora)

    def _likeliest(self) -> list[Answer]:
        ranked = sorted(self._answers, key=lambda answer: -answer.mean_logprob)
        return ranked[:self.params.n]

    def _metrics(self, usage: _quire.Usage) -> RequestMetrics:
        def at(milliseconds: float) -> float:
            return self._arrival + milliseconds / 1000.0

        return RequestMetrics(
            arrival_time=self._arrival,
            last_token_time=at(usage.total_ms),
            first_scheduled_time=at(usage.queue_ms),
            first_token_time=at(usage.first_token_ms) if usage.output_tokens else None,
            time_in_queue=usage.queue_ms / 1000.0,
            finished_time=at(usage.total_ms) if self.finished else None,
            computed_tokens=usage.computed_tokens,
            drafted_tokens=usage.drafted_tokens,
            accepted_tokens=usage.accepted_tokens,
            preemptions=usage.preemptions)
