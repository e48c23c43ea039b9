"""The package openai: a request with tools is answered, by a text or by a call.  python client_tools.py URL"""
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="none", max_retries=0)
MODEL = client.models.list().data[0].id
TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "Weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
HISTORY = [
    {"role": "user", "content": "Weather in Ulm?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Ulm\"}"}}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "12 degrees"},
    {"role": "user", "content": "Thanks."},
]

try:
    answer = client.chat.completions.create(model=MODEL, messages=HISTORY, tools=TOOLS, max_tokens=16, seed=1)
except openai.BadRequestError as error:
    # A model without tools says so.
    if "tool" not in str(error):
        sys.exit(f"failed: {error}")
else:
    for call in answer.choices[0].message.tool_calls or []:
        json.loads(call.function.arguments)
for choice in ("required", {"type": "function", "function": {"name": "weather"}}):
    try:
        answer = client.chat.completions.create(
            model=MODEL, messages=HISTORY, tools=TOOLS, tool_choice=choice, max_tokens=200, seed=2)
    except openai.BadRequestError as error:
        if error.param != "tools":
            sys.exit(f"failed: {error}")
    else:
        choice = answer.choices[0]
        if choice.finish_reason == "length":
            continue
        call = choice.message.tool_calls[0].function
        if choice.message.content or call.name != "weather" or not isinstance(json.loads(call.arguments)["city"], str):
            sys.exit(f"failed: {choice}")
print("ok")
