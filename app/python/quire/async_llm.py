"""AsyncLLM: answers that grow, for asyncio."""

from __future__ import annotations

import asyncio
import os
from typing import Any, AsyncGenerator, Optional, Union

from . import _quire
from .answers import PendingRequest
from .client import EngineClient
from .engine_args import EngineArgs
from .errors import QuireError, invalid, unsupported
from .outputs import EmbeddingOutput, EmbeddingRequestOutput, LoRARequest, RequestOutput
from .prompts import ChatOptions, Prompt, PromptInput, chat_prompt, parse_prompt, split_chats
from .sampling_params import RequestOutputKind, SamplingParams
from .tokenizer import Tokenizer


class AsyncLLM:
    """A language model on this machine whose answers are streams.

    The engine computes on a thread of its own; all requests are answered together. An iterator
    that is closed, or whose task is cancelled, ends its request before the engine's next step.
    Arguments: those of LLM.
    """

    def __init__(self, model: Union[None, str, "os.PathLike[str]"] = None,
                 **engine_args: Any) -> None:
        self._client = EngineClient(EngineArgs(model=model, **engine_args))
        self._inboxes: dict[asyncio.AbstractEventLoop, _LoopInbox] = {}
        self._streams: dict[str, _Stream] = {}

    @classmethod
    def from_engine_args(cls, args: EngineArgs) -> AsyncLLM:
        """The same of arguments in one object."""
        llm = cls.__new__(cls)
        llm._client = EngineClient(args)
        llm._inboxes = {}
        llm._streams = {}
        return llm

    def generate(self, prompt: PromptInput, sampling_params: Optional[SamplingParams] = None,
                 request_id: Optional[str] = None, *, lora_request: Optional[LoRARequest] = None,
                 priority: int = 0) -> AsyncGenerator[RequestOutput, None]:
        """Answers one prompt; yields the answer as it grows.

        sampling_params.output_kind: whether each output holds the answer so far, only what is new
        (RequestOutputKind.DELTA), or comes at the end alone (FINAL_ONLY).
        """
        parsed = parse_prompt(prompt, self._client.tokenizer)
        return self._answer(parsed, sampling_params, request_id, lora_request, priority)

    def chat(self, messages: Any, sampling_params: Optional[SamplingParams] = None,
             request_id: Optional[str] = None, *, lora_request: Optional[LoRARequest] = None,
             priority: int = 0, chat_template: Optional[str] = None,
             add_generation_prompt: bool = True, continue_final_message: bool = False,
             tools: Optional[list[dict[str, Any]]] = None,
             chat_template_kwargs: Optional[dict[str, Any]] = None
             ) -> AsyncGenerator[RequestOutput, None]:
        """Answers one chat, as the model's template writes it; yields as generate() does."""
        options = ChatOptions(chat_template, add_generation_prompt, continue_final_message, tools,
                              chat_template_kwargs)
        options.check()
        chats = split_chats(messages)
        if len(chats) != 1:
            raise invalid("AsyncLLM.chat takes one chat; call it once for each.")
        client = self._client
        parsed = chat_prompt(chats[0], options, client.tokenizer, client.text_format)
        return self._answer(parsed, sampling_params, request_id, lora_request, priority)

    async def embed(self, prompt: PromptInput, *, normalize: bool = True,
                    request_id: Optional[str] = None) -> EmbeddingRequestOutput:
        """The vector of a text."""
        client = self._client
        tokens = client.embedding_tokens(parse_prompt(prompt, client.tokenizer))
        loop = asyncio.get_running_loop()
        vectors = await loop.run_in_executor(None, lambda: list(client.embed([tokens], normalize)))
        return EmbeddingRequestOutput(request_id or client.next_id(), EmbeddingOutput(vectors[0]),
                                      tokens)

    async def abort(self, request_id: str) -> None:
        """Ends a request: its last output has the finish reason "abort". Ids that are unknown or
        have ended are ignored."""
        stream = self._streams.get(request_id)
        if stream is not None:
            self._client.engine.cancel(stream.request.tickets)

    async def get_tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        return self._client.tokenizer

    def get_default_sampling_params(self) -> SamplingParams:
        """What the model's files recommend."""
        return self._client.default_params()

    def stats(self) -> dict[str, int]:
        """As LLM.stats()."""
        return self._client.engine.stats()

    def shutdown(self) -> None:
        """Ends all requests and frees the model; nothing can be asked afterwards."""
        self._client.stop()

    async def _answer(self, prompt: Prompt, sampling_params: Optional[SamplingParams],
                      request_id: Optional[str], lora_request: Optional[LoRARequest],
                      priority: int) -> AsyncGenerator[RequestOutput, None]:
        params = sampling_params or self._client.default_params()
        kind = params.output_kind
        if params.num_sampled > params.n and kind is not RequestOutputKind.FINAL_ONLY:
            raise unsupported("best_of needs output_kind=RequestOutputKind.FINAL_ONLY: which "
                              "answers are the likeliest is known at the end.")
        name = self._client.next_id() if request_id is None else request_id
        if name in self._streams:
            raise invalid(f"request_id={name!r} is in use; choose another.")
        request = PendingRequest(name, prompt.truncated(params.truncate_prompt_tokens), params,
                                 self._client.text_format, lora_request)
        stream = _Stream(request)
        self._streams[name] = stream
        inbox = self._open_inbox()
        try:
            for ticket in self._client.start(request, inbox.inbox, lora_request, priority):
                inbox.streams[ticket] = stream
            while not request.finished:
                await stream.changed()
                if kind is not RequestOutputKind.FINAL_ONLY or request.finished:
                    yield request.output(kind is RequestOutputKind.DELTA)
        finally:
            del self._streams[name]
            if not request.finished:
                self._client.engine.cancel(request.tickets)
            inbox.remove(request.tickets)
            if not inbox.streams:
                inbox.close()
                self._inboxes.pop(inbox.loop, None)

    def _open_inbox(self) -> _LoopInbox:
        loop = asyncio.get_running_loop()
        if loop not in self._inboxes:
            self._inboxes[loop] = _LoopInbox(loop)
        return self._inboxes[loop]


class _Stream:
    """The events of one request, read by one task."""

    def __init__(self, request: PendingRequest) -> None:
        self.request = request
        self._changed = asyncio.Event()
        self._error: Optional[QuireError] = None

    def add(self, event: _quire.Event) -> None:
        """Adds an event, on the loop's thread."""
        try:
            self.request.add(event)
        except QuireError as error:
            self._error = error
        self._changed.set()

    async def changed(self) -> None:
        """Waits until there is more than at the last call. Raises the error of a failed answer."""
        await self._changed.wait()
        self._changed.clear()
        if self._error is not None:
            raise self._error


class _LoopInbox:
    """The inbox of one event loop, which reads it when its descriptor says so: the engine never
    waits for the interpreter."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.inbox = _quire.Inbox()
        self.streams: dict[int, _Stream] = {}
        self._descriptor = self.inbox.fileno()
        loop.add_reader(self._descriptor, self._read)

    def remove(self, tickets: list[int]) -> None:
        """Their events are no longer of interest."""
        for ticket in tickets:
            self.streams.pop(ticket, None)

    def close(self) -> None:
        """Before the descriptor is closed."""
        self.loop.remove_reader(self._descriptor)

    def _read(self) -> None:
        for event in self.inbox.take():
            stream = self.streams.get(event.id)
            if stream is not None:
                stream.add(event)
