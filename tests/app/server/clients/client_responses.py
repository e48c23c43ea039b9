"""OpenAI's client: responses and tool calls, whole, streamed and async.  python client_responses.py URL"""
import asyncio
import json
import sys

import openai

URL = sys.argv[1] + "/v1"
client = openai.OpenAI(base_url=URL, api_key="none", max_retries=0)
CHAT_TOOL = {"type": "function", "function": {
    "name": "weather", "description": "Weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}
TOOL = {"type": "function", "strict": False, **CHAT_TOOL["function"]}
ASK = [{"role": "user", "content": "Hi"}]


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


# Tools of chats.
call = client.chat.completions.create(model="mini", messages=ASK, tools=[CHAT_TOOL]).choices[0]
check(call.finish_reason == "tool_calls" and call.message.content == "I look.", call)
function = call.message.tool_calls[0].function
check(function.name == "weather" and json.loads(function.arguments) == {"city": "Ulm"}, call)
with client.chat.completions.stream(model="mini", messages=ASK, tools=[CHAT_TOOL]) as stream:
    streamed = stream.get_final_completion().choices[0]
check(json.loads(streamed.message.tool_calls[0].function.arguments) == {"city": "Ulm"}, streamed)
answer = client.chat.completions.create(model="mini", tools=[CHAT_TOOL], messages=ASK + [
    call.message.to_dict(),
    {"role": "tool", "tool_call_id": call.message.tool_calls[0].id, "content": "12 degrees"}])
check(answer.choices[0].message.content == "It is 12 degrees.", answer)

# Responses.
answer = client.responses.create(model="mini", input="Hi", instructions="Be brief.")
check(answer.output_text == "You said: Hi" and answer.status == "completed", answer)
check(answer.usage.input_tokens_details.cached_tokens == 4, answer.usage)
answer = client.responses.create(model="mini", input="Hi", max_output_tokens=1)
check(answer.status == "incomplete", answer)
with client.responses.stream(model="mini", input="Hi") as stream:
    text = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
    final = stream.get_final_response()
check(text == "You said: Hi" and final.output_text == text, final)

call = client.responses.create(model="mini", input=ASK, tools=[TOOL])
function = call.output[-1]
check(function.type == "function_call" and json.loads(function.arguments) == {"city": "Ulm"}, call)
answer = client.responses.create(model="mini", tools=[TOOL], store=False, input=ASK + [
    item.to_dict() for item in call.output] + [
    {"type": "function_call_output", "call_id": function.call_id, "output": "12 degrees"}])
check(answer.output_text == "It is 12 degrees.", answer)
with client.responses.stream(model="mini", input=ASK, tools=[TOOL]) as stream:
    final = stream.get_final_response()
check(json.loads(final.output[-1].arguments) == {"city": "Ulm"}, final)


async def ask_many():
    async with openai.AsyncOpenAI(base_url=URL, api_key="none", max_retries=0) as many:
        answers = await asyncio.gather(
            *(many.responses.create(model="mini", input=f"Hi {i}") for i in range(32)))
    check([a.output_text for a in answers] == [f"You said: Hi {i}" for i in range(32)], answers)


asyncio.run(ask_many())
for arguments in ({"store": True}, {"previous_response_id": "resp_1"}):
    try:
        client.responses.create(model="mini", input="Hi", **arguments)
        sys.exit(f"no error: {arguments}")
    except openai.BadRequestError:
        pass
print("openai", openai.__version__, "passed")
