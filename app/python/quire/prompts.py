"""Prompts in the forms that vLLM takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

from . import _quire
from .errors import invalid, shown, unsupported
from .messages import Message, parse_chat
from .sampling_params import token_ids
from .tokenizer import Tokenizer

PromptInput = Union[str, Mapping[str, Any], Sequence[int]]


@dataclass
class Prompt:
    """A prompt as the engine computes it.

    answered: how many of the tokens at its end are the beginning of the answer.
    stops: strings that end an answer of the model's chats.
    """

    text: Optional[str]
    tokens: list[int]
    answered: int = 0
    stops: list[str] = field(default_factory=list)

    def truncated(self, most: Optional[int]) -> Prompt:
        """The same with at most so many of its last tokens."""
        if most is None or len(self.tokens) <= most:
            return self
        return Prompt(self.text, self.tokens[-most:], min(self.answered, most), self.stops)


def split_prompts(prompts: Any) -> list[PromptInput]:
    """One prompt, or several, as a list. A list of numbers is one prompt."""
    if isinstance(prompts, (str, Mapping)):
        return [prompts]
    if isinstance(prompts, bytes):
        raise invalid("A prompt must be text, not bytes.")
    try:
        listed = list(prompts)
    except TypeError:
        raise invalid("A prompt must be text, token ids or a dictionary, not "
                      f"{shown(prompts)}.") from None
    if listed and not isinstance(listed[0], (str, Mapping, list, tuple)):
        return [listed]
    return listed


def parse_prompt(prompt: PromptInput, tokenizer: Tokenizer) -> Prompt:
    """A text, a list of token ids, or {"prompt": ...} or {"prompt_token_ids": ...}."""
    if isinstance(prompt, str):
        return _parse_text(prompt, tokenizer)
    if not isinstance(prompt, Mapping):
        return Prompt(None, token_ids("prompt", prompt))
    for name in prompt:
        if name not in ("prompt", "prompt_token_ids") and prompt[name] is not None:
            raise unsupported(f"A prompt has the key {shown(name)}, which is not supported; it may "
                              "have prompt and prompt_token_ids.")
    text, ids = prompt.get("prompt"), prompt.get("prompt_token_ids")
    if text is not None and not isinstance(text, str):
        raise invalid(f"A prompt's text must be a string, not {shown(text)}.")
    if ids is not None:
        return Prompt(text, token_ids("prompt_token_ids", ids))
    if text is None:
        raise invalid("A prompt needs prompt or prompt_token_ids.")
    return _parse_text(text, tokenizer)


def _parse_text(text: str, tokenizer: Tokenizer) -> Prompt:
    if not text:
        raise invalid("The prompt is empty; write something first.")
    return Prompt(text, tokenizer.encode(text))


def split_chats(messages: Any) -> list[list[Message]]:
    """One chat, or several."""
    try:
        listed = list(messages)
    except TypeError:
        raise invalid(f"A chat must be a list of messages, not {shown(messages)}.") from None
    if listed and isinstance(listed[0], Mapping):
        return [parse_chat(listed)]
    if isinstance(messages, (str, bytes)) or any(isinstance(chat, str) for chat in listed):
        raise invalid("A chat must be a list of messages: [{\"role\": \"user\", \"content\": "
                      "\"Hello!\"}].")
    return [parse_chat(chat) for chat in listed]


@dataclass
class ChatOptions:
    """What a chat's prompt is made with."""

    chat_template: Optional[str] = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    tools: Optional[list[dict[str, Any]]] = None
    chat_template_kwargs: Optional[dict[str, Any]] = None

    def check(self) -> None:
        """Checks what contradicts itself."""
        if self.add_generation_prompt and self.continue_final_message:
            raise invalid("continue_final_message needs add_generation_prompt=False: the answer "
                          "goes on from the last message.")


def chat_prompt(chat: list[Message], options: ChatOptions, tokenizer: Tokenizer,
                text_format: _quire.TextFormat) -> Prompt:
    """The prompt of a chat."""
    answer: list[int] = []
    if options.continue_final_message:
        role, parts = chat[-1]
        if role != "assistant" or len(chat) < 2:
            raise invalid("continue_final_message needs a last message of the assistant, after "
                          "others.")
        chat = chat[:-1]
        text = "".join(part[1] for part in parts if part[0] == "text")
        answer = text_format.encode_answer(text)
    opens = options.add_generation_prompt or options.continue_final_message
    tokens = tokenizer.chat_tokens(chat, options.tools, options.chat_template, opens,
                                   options.chat_template_kwargs) + answer
    stops = [] if options.chat_template is not None else list(text_format.turn_stops)
    return Prompt(text_format.decode(tokens, True), tokens, len(answer), stops)
