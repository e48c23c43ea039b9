"""The model's tokenizer and chat template."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Union

from . import _quire
from .errors import invalid, shown
from .messages import checked_text, parse_chat, to_json, tools_json
from .sampling_params import token_ids


class Tokenizer:
    """Text to token ids and back. Thread: any."""

    def __init__(self, text_format: _quire.TextFormat) -> None:
        self._format = text_format

    def __len__(self) -> int:
        return self._format.vocab_size

    @property
    def vocab_size(self) -> int:
        """How many tokens there are."""
        return self._format.vocab_size

    @property
    def bos_token_id(self) -> Optional[int]:
        """The token that begins a text, if there is one."""
        return self._format.bos_token_id

    @property
    def eos_token_id(self) -> Optional[int]:
        """The token that ends a text, if there is one."""
        return self._format.eos_token_id

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text; special tokens that are written in it count as such."""
        if not isinstance(text, str):
            raise invalid(f"A text to encode must be a string, not {shown(text)}.")
        return self._format.encode(checked_text("The text", text), bool(add_special_tokens))

    def decode(self, ids: Union[int, Iterable[int]], skip_special_tokens: bool = False) -> str:
        """The text of ids. Bytes that are no whole character become U+FFFD."""
        ids = self._checked([ids] if isinstance(ids, int) else ids)
        return self._format.decode(ids, not skip_special_tokens)

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """Each token as the vocabulary spells it."""
        return [self._format.token_piece(id) for id in self._checked(ids)]

    def apply_chat_template(self, conversation: Iterable[Mapping[str, Any]],
                            tools: Optional[list[dict[str, Any]]] = None,
                            chat_template: Optional[str] = None,
                            add_generation_prompt: bool = False, tokenize: bool = True,
                            **variables: Any) -> Union[str, list[int]]:
        """A chat as the model reads it: ids, or with tokenize=False text. Further arguments are
        variables of the template ("enable_thinking")."""
        ids = self.chat_tokens(parse_chat(conversation), tools, chat_template,
                               add_generation_prompt, variables)
        return ids if tokenize else self._format.decode(ids, True)

    def chat_tokens(self, chat: list[Any], tools: Optional[list[dict[str, Any]]],
                    chat_template: Optional[str], add_generation_prompt: bool,
                    variables: Optional[Mapping[str, Any]]) -> list[int]:
        """The ids of a chat that parse_chat() returned."""
        if variables is not None and not isinstance(variables, Mapping):
            raise invalid(f"chat_template_kwargs must be a dictionary, not {shown(variables)}.")
        source = self._format
        if chat_template is not None:
            source = source.with_template(checked_text("chat_template", chat_template))
        return source.chat_tokens(chat, tools_json(tools),
                                  to_json("The template's variables", dict(variables or {})),
                                  bool(add_generation_prompt))

    def _checked(self, ids: Iterable[int]) -> list[int]:
        checked = token_ids("ids", ids)
        for id in checked:
            if not self._format.has_token(id):
                raise invalid(f"Token {id} is not in this model's vocabulary of "
                              f"{self.vocab_size} tokens.")
        return checked
