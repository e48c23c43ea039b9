"""Anthropic's client: messages, streams, tools, thinking, counts and errors.  python client_anthropic.py URL"""
import sys

import anthropic

client = anthropic.Anthropic(base_url=sys.argv[1], api_key="none", max_retries=0)
TOOL = {"name": "weather", "description": "Weather of a city",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}
ASK = [{"role": "user", "content": "Hi"}]


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


answer = client.messages.create(model="mini", max_tokens=100, system="Be brief.", messages=ASK)
check(answer.content[0].text == "You said: Hi", answer)
check(answer.stop_reason == "end_turn" and answer.role == "assistant", answer)
check(answer.usage.input_tokens == 6 and answer.usage.cache_read_input_tokens == 4, answer.usage)

answer = client.messages.create(model="mini", max_tokens=1, messages=ASK)
check(answer.stop_reason == "max_tokens", answer)

with client.messages.stream(model="mini", max_tokens=2000, messages=ASK,
                            thinking={"type": "enabled", "budget_tokens": 1024}) as stream:
    text = "".join(stream.text_stream)
    final = stream.get_final_message()
check(text == "You said: Hi", text)
check([block.type for block in final.content] == ["thinking", "text"], final)
check(final.content[0].thinking == "Hm.", final)
check(final.usage.output_tokens > 1, final.usage)

# A call, its result, and the answer; whole and streamed.
call = client.messages.create(model="mini", max_tokens=100, messages=ASK, tools=[TOOL])
check(call.stop_reason == "tool_use", call)
check([block.type for block in call.content] == ["text", "tool_use"], call)
use = call.content[1]
check(use.name == "weather" and use.input == {"city": "Ulm"}, use)
with client.messages.stream(model="mini", max_tokens=100, messages=ASK, tools=[TOOL]) as stream:
    final = stream.get_final_message()
check(final.content[1].input == {"city": "Ulm"} and final.stop_reason == "tool_use", final)
answer = client.messages.create(
    model="mini", max_tokens=100, tools=[TOOL],
    messages=ASK + [{"role": "assistant", "content": call.content},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id,
                                                  "content": "12 degrees"}]}])
check(answer.content[0].text == "It is 12 degrees.", answer)

check(client.messages.count_tokens(model="mini", messages=ASK).input_tokens == 3, "count_tokens")
for error, arguments in ((anthropic.NotFoundError, {"model": "other"}),
                         (anthropic.BadRequestError, {"extra_body": {"temperature": 2.0}})):
    arguments = {"model": "mini", "max_tokens": 10, "messages": ASK, **arguments}
    try:
        client.messages.create(**arguments)
        sys.exit(f"no error: {arguments}")
    except error:
        pass
print("anthropic", anthropic.__version__, "passed")
