"""Answers of a form: vLLM's StructuredOutputsParams, and its older GuidedDecodingParams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

from .errors import invalid, shown, unsupported
from .messages import checked_text, to_json

_UNSUPPORTED = ("regex", "grammar", "structural_tag", "whitespace_pattern",
                "disable_any_whitespace", "disable_additional_properties")


@dataclass
class AnswerForm:
    """What an answer must be: JSON of a schema, where an empty one is any object, or one of some
    texts. Neither: anything."""

    schema: Optional[str] = None
    choices: Optional[list[str]] = None


@dataclass
class StructuredOutputsParams:
    """What an answer must be. A value that Quire does not support is an error that names it.

    json: a JSON schema, as a dictionary or as text (docs/json-answers.md). json_object: True asks
    for any JSON object. choice: texts of which the answer is one.
    """

    json: Union[None, str, dict[str, Any]] = None
    regex: Optional[str] = None
    choice: Optional[list[str]] = None
    grammar: Optional[str] = None
    json_object: Optional[bool] = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: Optional[str] = None
    structural_tag: Optional[str] = None

    def form(self) -> AnswerForm:
        """What it asks for, checked."""
        for name in _UNSUPPORTED:
            if getattr(self, name):
                raise unsupported(f"{name} is not supported; answers can follow a JSON schema, or "
                                  "be one of some texts.")
        given = [name for name in ("json", "json_object", "choice")
                 if getattr(self, name) not in (None, False)]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise invalid("StructuredOutputsParams needs one of json (a schema), json_object=True "
                          f"and choice (a list of texts); it has {found}.")
        if self.choice is not None:
            return AnswerForm(choices=_choices(self.choice))
        return AnswerForm(schema=self._schema())

    def _schema(self) -> str:
        if self.json is None:
            return ""
        if isinstance(self.json, str):
            if not self.json.strip():
                raise invalid("json is an empty text; it must be a JSON schema.")
            return checked_text("json", self.json)
        if not isinstance(self.json, dict):
            raise invalid("json must be a schema as a dictionary or as text, not "
                          f"{shown(self.json)}.")
        return to_json("json", self.json)


@dataclass
class GuidedDecodingParams(StructuredOutputsParams):
    """The same under its older name. What made the answers in vLLM is ignored."""

    backend: Optional[str] = None
    disable_fallback: bool = False


def _choices(choice: Any) -> list[str]:
    if not isinstance(choice, (list, tuple)) or not choice:
        raise invalid(f"choice must be a list of at least one text, not {shown(choice)}.")
    for text in choice:
        if not isinstance(text, str) or not text:
            raise invalid(f"choice must be texts that are not empty, not {shown(text)}.")
    return [checked_text("choice", text) for text in choice]


def answer_form(name: str, params: Any) -> Optional[AnswerForm]:
    """The form that an argument asks for; None without one."""
    if params is None:
        return None
    if not isinstance(params, StructuredOutputsParams):
        raise invalid(f"{name} must be StructuredOutputsParams, not {shown(params)}.")
    return params.form()
