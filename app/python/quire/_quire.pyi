"""The engine, as the package uses it; not meant to be used by others."""

from typing import Optional

__version__: str
MAX_LOGPROBS: int
MAX_ANSWERS: int

class Options:
    model_path: str
    device: str
    num_threads: int
    max_context: int
    kv_bytes: int
    host_kv_bytes: Optional[int]
    max_batch_tokens: int
    max_sequences: int
    prefix_cache: bool
    gpu_memory_utilization: Optional[float]
    def set_kv_dtype(self, name: str) -> None: ...
    def set_speculation(self, name: str) -> None: ...

class Sampling:
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repetition_penalty: float
    presence_penalty: float
    frequency_penalty: float
    seed: int
    max_tokens: int
    stop: list[str]
    ignore_eos: bool
    min_tokens: int
    num_logprobs: int
    stop_token_ids: list[int]
    def set_logit_bias(self, biases: list[tuple[int, float]]) -> None: ...
    def check(self) -> None: ...

class Usage:
    prompt_tokens: int
    cached_tokens: int
    computed_tokens: int
    output_tokens: int
    drafted_tokens: int
    accepted_tokens: int
    preemptions: int
    queue_ms: float
    first_token_ms: float
    total_ms: float

class Event:
    id: int
    text: str
    tokens: list[int]
    logprobs: list[list[tuple[int, float]]]
    usage: Usage
    finish: Optional[str]
    stop: str
    def raise_error(self) -> None: ...

class Inbox:
    def take(self) -> list[Event]: ...
    def wait(self, seconds: float, until_ended: bool) -> list[Event]: ...
    def fileno(self) -> int: ...

class Model:
    name: str
    device: str
    gpu_reason: str
    uses_gpu: bool
    vocab_size: int
    hidden_size: int
    max_context: int
    sampling: Sampling

class TextFormat:
    turn_stops: list[str]
    vocab_size: int
    bos_token_id: Optional[int]
    eos_token_id: Optional[int]
    def __init__(self, model: Model) -> None: ...
    def encode(self, text: str, adds_special: bool) -> list[int]: ...
    def encode_answer(self, text: str) -> list[int]: ...
    def encode_for_embedding(self, text: str) -> list[int]: ...
    def decode(self, ids: list[int], with_special: bool) -> str: ...
    def token_text(self, id: int) -> str: ...
    def token_piece(self, id: int) -> str: ...
    def has_token(self, id: int) -> bool: ...
    def chat_tokens(self, messages: list[tuple[str, list[tuple[str, str, str, str]]]], tools: str,
                    variables: str, add_generation_prompt: bool) -> list[int]: ...
    def with_template(self, source: str) -> TextFormat: ...

class Submission:
    prompt: list[int]
    sampling: Sampling
    answered: int
    priority: int
    adapter: str
    schema: Optional[str]
    choices: Optional[list[str]]

class Engine:
    model: Model
    def __init__(self, options: Options) -> None: ...
    def wait_until_loaded(self, seconds: float) -> bool: ...
    def submit(self, submission: Submission, inbox: Inbox) -> int: ...
    def cancel(self, ids: list[int]) -> None: ...
    def cancel_all(self, inbox: Inbox) -> None: ...
    def embed(self, texts: list[list[int]], normalizes: bool) -> list[list[float]]: ...
    def stats(self) -> dict[str, int]: ...
    def stop(self) -> None: ...
