"""What generate(), chat() and embed() return: the shapes are vLLM's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Union


@dataclass
class LoRARequest:
    """A LoRA adapter that is to answer: a folder as PEFT writes it, or a GGUF file."""

    lora_name: str
    lora_int_id: int = 0
    lora_path: str = ""


@dataclass
class Logprob:
    """A token's log probability under the model itself.

    rank: its place among the likeliest tokens, from 1; None if it is none of those asked for.
    """

    logprob: float
    rank: Optional[int] = None
    decoded_token: Optional[str] = None


@dataclass
class CompletionOutput:
    """One answer.

    token_ids: without the token that ended it. finish_reason: "stop" (the model ended it, or a
    stop string or token came), "length" (max_tokens or the context), "abort", or None while it
    goes on. stop_reason: the stop string, or the stop token where only one was asked for; else
    None.
    """

    index: int
    text: str
    token_ids: list[int]
    cumulative_logprob: Optional[float] = None
    logprobs: Optional[list[dict[int, Logprob]]] = None
    finish_reason: Optional[str] = None
    stop_reason: Union[int, str, None] = None
    lora_request: Optional[LoRARequest] = None

    def finished(self) -> bool:
        """Whether it has ended."""
        return self.finish_reason is not None


@dataclass
class RequestMetrics:
    """When a request's first answer was made, in seconds since 1970, and what it cost."""

    arrival_time: float
    last_token_time: float
    first_scheduled_time: Optional[float] = None
    first_token_time: Optional[float] = None
    time_in_queue: Optional[float] = None
    finished_time: Optional[float] = None
    computed_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    preemptions: int = 0


@dataclass
class RequestOutput:
    """A prompt with its answers.

    num_cached_tokens: tokens of the prompt that were found in the cache instead of being computed.
    """

    request_id: str
    prompt: Optional[str]
    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    finished: bool
    metrics: Optional[RequestMetrics] = None
    num_cached_tokens: Optional[int] = None
    lora_request: Optional[LoRARequest] = None
    prompt_logprobs: None = None


@dataclass
class EmbeddingOutput:
    """A text's vector."""

    embedding: list[float] = field(repr=False)

    @property
    def hidden_size(self) -> int:
        """How many numbers it has."""
        return len(self.embedding)


@dataclass
class EmbeddingRequestOutput:
    """A text with its vector."""

    request_id: str
    outputs: EmbeddingOutput
    prompt_token_ids: list[int]
    finished: bool = True
