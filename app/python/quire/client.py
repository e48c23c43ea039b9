"""An open engine, for LLM and AsyncLLM."""

from __future__ import annotations

import atexit
import itertools
import os
import random
import weakref
from typing import Iterable, Iterator, Optional

from . import _quire
from .answers import PendingRequest
from .engine_args import EngineArgs
from .errors import invalid, unsupported
from .outputs import LoRARequest
from .prompts import Prompt
from .sampling_params import SamplingParams, _integer
from .tokenizer import Tokenizer

# How long a call waits before it lets Python handle Ctrl+C.
WAIT_SECONDS = 0.05
_EMBEDDED_TOKENS = 512
_EMBEDDED_TEXTS = 16


class EngineClient:
    """A model with its engine, which computes on a thread of its own. Thread: any."""

    def __init__(self, args: EngineArgs) -> None:
        self.args = args
        self.engine = _quire.Engine(args.to_options())
        _open_clients.add(self)
        try:
            while not self.engine.wait_until_loaded(WAIT_SECONDS):
                pass
            self.model = self.engine.model
            args.check_loaded(self.model)
        except BaseException:
            self.engine.stop()
            raise
        self.text_format = _quire.TextFormat(self.model)
        self.tokenizer = Tokenizer(self.text_format)
        self._seeds = random.Random(args.seed)
        self._ids = itertools.count()

    def stop(self) -> None:
        """Ends all requests and frees the model."""
        self.engine.stop()

    def next_id(self) -> str:
        """An id for a request that has none."""
        return str(next(self._ids))

    def default_params(self) -> SamplingParams:
        """What the model's files recommend."""
        sampling = self.model.sampling
        return SamplingParams(temperature=sampling.temperature, top_p=sampling.top_p,
                              top_k=sampling.top_k)

    def start(self, request: PendingRequest, inbox: _quire.Inbox,
              lora_request: Optional[LoRARequest] = None, priority: int = 0) -> Iterator[int]:
        """Submits a request's answers, one by one; yields their ids in the engine."""
        params = request.params
        submission = _quire.Submission()
        submission.prompt = request.prompt.tokens
        submission.answered = request.prompt.answered
        form = params.answer_form()
        submission.schema, submission.choices = form.schema, form.choices
        submission.adapter = self._adapter_path(lora_request)
        # Of vLLM's priorities the lowest goes first.
        submission.priority = -_integer("priority", priority, -(2**30), 2**30)
        seed = self._seeds.getrandbits(63) if params.seed is None else params.seed
        for index in range(params.num_sampled):
            sampling = params.to_engine(seed + index)
            sampling.stop = sampling.stop + request.prompt.stops
            submission.sampling = sampling
            ticket = self.engine.submit(submission, inbox)
            request.add_ticket(ticket)
            yield ticket

    def embed(self, texts: Iterable[list[int]], normalize: bool) -> Iterator[list[float]]:
        """The vector of each text, a few computed at a time."""
        group: list[list[int]] = []
        for tokens in texts:
            group.append(tokens)
            if len(group) < _EMBEDDED_TEXTS and sum(map(len, group)) < _EMBEDDED_TOKENS:
                continue
            yield from self.engine.embed(group, normalize)
            group = []
        if group:
            yield from self.engine.embed(group, normalize)

    def embedding_tokens(self, prompt: Prompt) -> list[int]:
        """The tokens of a text that is embedded."""
        if prompt.text is None:
            return prompt.tokens
        return self.text_format.encode_for_embedding(prompt.text)

    def _adapter_path(self, lora_request: Optional[LoRARequest]) -> str:
        if lora_request is None:
            return ""
        if not self.args.enable_lora:
            raise unsupported("lora_request needs enable_lora=True.")
        if not lora_request.lora_path or not os.path.exists(lora_request.lora_path):
            raise invalid(f"There is no adapter at {lora_request.lora_path!r}.")
        return os.fspath(lora_request.lora_path)


# What is open when the interpreter ends: its threads must not compute while the program's memory
# is taken down.
_open_clients: "weakref.WeakSet[EngineClient]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for client in list(_open_clients):
        client.stop()
