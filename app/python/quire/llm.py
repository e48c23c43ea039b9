"""LLM: many prompts answered at once."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence, Union

from . import _quire
from .answers import PendingRequest
from .client import WAIT_SECONDS, EngineClient
from .engine_args import EngineArgs
from .errors import QuireError, invalid
from .outputs import EmbeddingOutput, EmbeddingRequestOutput, LoRARequest, RequestOutput
from .progress import Progress
from .prompts import ChatOptions, Prompt, chat_prompt, parse_prompt, split_chats, split_prompts
from .sampling_params import SamplingParams
from .tokenizer import Tokenizer

UseTqdm = Union[bool, Callable[..., Any]]
ParamsInput = Union[None, SamplingParams, Sequence[SamplingParams]]
LoRAInput = Union[None, LoRARequest, Sequence[LoRARequest]]


class LLM:
    """A language model on this machine, with its own engine.

    LLM() opens the demonstration model, LLM("model.gguf") any other; further arguments are those
    of EngineArgs. It may be used from several threads, whose prompts are then answered together.
    Ctrl+C ends a call within a step.
    """

    def __init__(self, model: Union[None, str, "os.PathLike[str]"] = None,
                 **engine_args: Any) -> None:
        self._client = EngineClient(EngineArgs(model=model, **engine_args))

    def generate(self, prompts: Any, sampling_params: ParamsInput = None, *,
                 use_tqdm: UseTqdm = True, lora_request: LoRAInput = None,
                 priority: Optional[Sequence[int]] = None) -> list[RequestOutput]:
        """Answers all prompts together and returns the answers in the prompts' order.

        prompts: a text, token ids, {"prompt": ...} or {"prompt_token_ids": ...}, or a list of
        these. sampling_params: one for all, or one for each; None: what the model recommends.
        priority: for each prompt; lower numbers go first.
        """
        parsed = _numbered(split_prompts(prompts),
                           lambda prompt: parse_prompt(prompt, self._client.tokenizer))
        return self._answer(parsed, sampling_params, use_tqdm, lora_request, priority)

    def chat(self, messages: Any, sampling_params: ParamsInput = None, *,
             use_tqdm: UseTqdm = True, lora_request: LoRAInput = None,
             chat_template: Optional[str] = None, add_generation_prompt: bool = True,
             continue_final_message: bool = False, tools: Optional[list[dict[str, Any]]] = None,
             chat_template_kwargs: Optional[dict[str, Any]] = None) -> list[RequestOutput]:
        """Answers a chat, or several, as the model's template writes them.

        messages: [{"role": "user", "content": "Hello!"}], or a list of such lists.
        chat_template_kwargs: variables of the template, such as {"enable_thinking": False}.
        """
        options = ChatOptions(chat_template, add_generation_prompt, continue_final_message, tools,
                              chat_template_kwargs)
        options.check()
        client = self._client
        parsed = _numbered(
            split_chats(messages),
            lambda chat: chat_prompt(chat, options, client.tokenizer, client.text_format))
        return self._answer(parsed, sampling_params, use_tqdm, lora_request, None)

    def embed(self, prompts: Any, *, use_tqdm: UseTqdm = True,
              normalize: bool = True) -> list[EmbeddingRequestOutput]:
        """The vectors of texts, made as the model's files say; embedding models are for this."""
        client = self._client
        parsed = _numbered(split_prompts(prompts),
                           lambda prompt: parse_prompt(prompt, client.tokenizer))
        texts = [client.embedding_tokens(prompt) for prompt in parsed]
        outputs: list[EmbeddingRequestOutput] = []
        progress = Progress(len(texts), "Texts", use_tqdm)
        try:
            for vector in client.embed(texts, normalize):
                outputs.append(EmbeddingRequestOutput(
                    client.next_id(), EmbeddingOutput(vector), texts[len(outputs)]))
                progress.add(1)
        finally:
            progress.close()
        return outputs

    def get_tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        return self._client.tokenizer

    def get_default_sampling_params(self) -> SamplingParams:
        """What the model's files recommend."""
        return self._client.default_params()

    def stats(self) -> dict[str, int]:
        """Counters of the engine: tokens computed and found in the cache, blocks, requests."""
        return self._client.engine.stats()

    def shutdown(self) -> None:
        """Ends all requests and frees the model; nothing can be asked afterwards."""
        self._client.stop()

    def __enter__(self) -> LLM:
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()

    def _answer(self, prompts: list[Prompt], sampling_params: ParamsInput, use_tqdm: UseTqdm,
                lora_request: LoRAInput, priority: Optional[Sequence[int]]) -> list[RequestOutput]:
        params = _for_each("sampling_params", sampling_params or self._client.default_params(),
                           len(prompts))
        loras = _for_each("lora_request", lora_request, len(prompts))
        priorities = _for_each("priority", 0 if priority is None else priority, len(prompts))
        client, inbox = self._client, _quire.Inbox()
        requests = [
            PendingRequest(client.next_id(), prompt.truncated(one.truncate_prompt_tokens), one,
                           client.text_format, lora)
            for prompt, one, lora in zip(prompts, params, loras)]
        by_ticket: dict[int, PendingRequest] = {}
        try:
            for index, request in enumerate(requests):
                with _about_prompt(index, len(requests)):
                    for ticket in client.start(request, inbox, loras[index], priorities[index]):
                        by_ticket[ticket] = request
            _collect(inbox, by_ticket, len(requests), use_tqdm)
        except BaseException:
            client.engine.cancel_all(inbox)
            raise
        return [request.output() for request in requests]


def _collect(inbox: _quire.Inbox, by_ticket: dict[int, PendingRequest], total: int,
             use_tqdm: UseTqdm) -> None:
    """Waits until every request has ended."""
    progress = Progress(total, "Processed prompts", use_tqdm)
    open_tickets = set(by_ticket)
    try:
        while open_tickets:
            for event in inbox.wait(WAIT_SECONDS, until_ended=True):
                request = by_ticket[event.id]
                request.add(event)
                if event.finish is not None:
                    open_tickets.discard(event.id)
                    progress.add(1 if request.finished else 0)
    finally:
        progress.close()


class _about_prompt:
    """Says in an error which of several prompts it is about."""

    def __init__(self, index: int, total: int) -> None:
        self._prefix = f"Prompt {index}: " if total > 1 else ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, QuireError) and self._prefix:
            error.args = (self._prefix + str(error), *error.args[1:])


def _numbered(items: list[Any], parse: Callable[[Any], Prompt]) -> list[Prompt]:
    parsed = []
    for index, item in enumerate(items):
        with _about_prompt(index, len(items)):
            parsed.append(parse(item))
    return parsed


def _for_each(name: str, value: Any, count: int) -> list[Any]:
    """One value for each prompt."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise invalid(f"{name} has {len(value)} entries for {count} prompts; it needs one for "
                      "each, or one for all.")
    return list(value)
