"""Answers in JSON: vLLM's StructuredOutputsParams, and GuidedDecodingParams as it was called before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

from .errors import invalid, unsupported
from .messages import checked_text, to_json

_UNSUPPORTED = ("regex", "choice", "grammar", "structural_tag", "whitespace_pattern",
                "disable_any_whitespace", "disable_additional_properties")


@dataclass
class StructuredOutputsParams:
    """What an answer must be. A value that Quire does not support is an error that names it.

    json: a JSON schema, as a dictionary or as text (docs/json-answers.md). json_object: True asks
    for any JSON object.
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

    def schema(self) -> str:
        """The schema's text; empty: any object."""
        for name in _UNSUPPORTED:
            if getattr(self, name):
                raise unsupported(f"{name} is not supported; answers can follow a JSON schema.")
        if (self.json is None) == (not self.json_object):
            raise invalid("structured_outputs needs json, a schema, or json_object=True, not both.")
        if self.json is None:
            return ""
        if isinstance(self.json, str):
            if not self.json.strip():
                raise invalid("json is an empty text; it must be a JSON schema.")
            return checked_text("json", self.json)
        if not isinstance(self.json, dict):
            raise invalid(f"json must be a schema as a dictionary or as text, not {self.json!r}.")
        return to_json("json", self.json)


@dataclass
class GuidedDecodingParams(StructuredOutputsParams):
    """The same under its older name. What made the answers in vLLM is ignored."""

    backend: Optional[str] = None
    disable_fallback: bool = False


def answer_schema(name: str, params: Any) -> Optional[str]:
    """The schema that an argument asks for; None without one."""
    if params is None:
        return None
    if not isinstance(params, StructuredOutputsParams):
        raise invalid(f"{name} must be StructuredOutputsParams, not {params!r}.")
    return params.schema()
