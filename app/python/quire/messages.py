"""Chats in the format of OpenAI's API, as the engine takes them."""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, Optional

from .errors import invalid, shown, unsupported

# (kind, text, tool, call id)
Part = tuple[str, str, str, str]
# (role, parts)
Message = tuple[str, list[Part]]

_FIELDS = {"role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content",
           "reasoning"}


def checked_text(what: str, text: str) -> str:
    """A text that has a form in UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise invalid(f"{what} is not Unicode text: it has half a surrogate pair at "
                      f"{error.start}.") from None
    return text


def parse_chat(messages: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages of one chat."""
    chat = [_parse_message(message) for message in messages]
    if not chat:
        raise invalid("The chat has no messages.")
    return chat


def to_json(what: str, value: Any) -> str:
    """A value of Python's as JSON; an empty string for None."""
    if value is None:
        return ""
    try:
        return checked_text(what, json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid(f"{what} cannot be written as JSON: {error}.") from None


_TOOL_FORM = '{"type": "function", "function": {"name": ..., "parameters": {...}}}'


def tools_json(tools: Any) -> str:
    """The tools of a chat as JSON; an empty string for None."""
    if tools is None:
        return ""
    if not isinstance(tools, (list, tuple)):
        raise invalid(f"tools must be a list of dictionaries, not {shown(tools)}.")
    names: set[str] = set()
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or tool.get("type", "function") != "function":
            raise invalid(f"tools[{index}] must be a dictionary such as {_TOOL_FORM}, not "
                          f"{shown(tool)}.")
        name = function.get("name")
        if not isinstance(name, str) or not name:
            raise invalid(f"tools[{index}] needs a function with a name.")
        if name in names:
            raise invalid(f"tools has the name {shown(name)} twice; give each tool a name of its "
                          "own.")
        names.add(name)
        parameters = function.get("parameters")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise invalid(f"The parameters of the tool {shown(name)} must be a JSON schema as a "
                          f"dictionary, not {shown(parameters)}.")
    return to_json("tools", list(tools))


def _parse_message(message: Mapping[str, Any]) -> Message:
    if not isinstance(message, Mapping):
        raise invalid(f"A message must be a dictionary, not {shown(message)}.")
    for name in message:
        if name not in _FIELDS:
            raise unsupported(f"A message has the field {shown(name)}, which is not supported.")
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise invalid("A message has no role.")
    parts: list[Part] = []
    reasoning = message.get("reasoning_content", message.get("reasoning"))
    if reasoning is not None:
        parts.append(("reasoning", _text("reasoning_content", reasoning), "", ""))
    calls = message.get("tool_calls") or []
    if message.get("content") is None and role != "tool" and not calls:
        raise invalid("A message has no content; it needs a text.")
    text = _content(message.get("content"))
    if role == "tool":
        parts.append(("tool_result", text, _text("name", message.get("name") or ""),
                      _text("tool_call_id", message.get("tool_call_id") or "")))
    elif text:
        parts.append(("text", text, "", ""))
    parts += [_tool_call(call) for call in calls]
    return checked_text("role", role), parts


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return checked_text("content", content)
    if not isinstance(content, (list, tuple)):
        raise invalid(f"content must be a string or a list of parts, not {shown(content)}.")
    return "".join(_content_part(part) for part in content)


def _content_part(part: Any) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind != "text":
        raise unsupported(f"A part of a message has the type {shown(kind)}; only text is "
                          "supported.")
    return _text("text", part.get("text"))


def _tool_call(call: Any) -> Part:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise invalid("A tool call must have a function with a name and arguments.")
    arguments: Optional[Any] = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = to_json("A tool call's arguments", arguments if arguments is not None else {})
    return ("tool_call", checked_text("arguments", arguments), _text("name", function.get("name")),
            _text("id", call.get("id") or ""))


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(f"{what} must be a string, not {shown(value)}.")
    return checked_text(what, value)
