"""Ollama's client: chats, completions, tools, thinking, embeddings and models.  python client_ollama.py URL"""
import sys

import ollama

client = ollama.Client(host=sys.argv[1])
ASK = [{"role": "user", "content": "Hi"}]


def weather(city: str) -> str:
    """Weather of a city.

    Args:
      city: Its name.
    """
    return f"12 degrees in {city}"


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


answer = client.chat(model="mini", messages=ASK, options={"temperature": 0.5, "num_ctx": 2048})
check(answer.message.content == "You said: Hi" and answer.done_reason == "stop", answer)
check(answer.prompt_eval_count == 10 and answer.eval_count > 0, answer)

parts = list(client.chat(model="mini", messages=ASK, stream=True, think=True, keep_alive="5m"))
check("".join(part.message.content for part in parts) == "You said: Hi", parts)
check("".join(part.message.thinking or "" for part in parts) == "Hm.", parts)
check(parts[-1].done and parts[-1].total_duration > 0, parts[-1])

# A call, its result, and the answer; whole and streamed.
call = client.chat(model="mini", messages=ASK, tools=[weather])
check(call.message.tool_calls[0].function.name == "weather", call)
check(call.message.tool_calls[0].function.arguments == {"city": "Ulm"}, call)
streamed = [c for part in client.chat(model="mini", messages=ASK, tools=[weather], stream=True)
            for c in part.message.tool_calls or []]
check(len(streamed) == 1 and streamed[0].function.arguments == {"city": "Ulm"}, streamed)
result = weather(**call.message.tool_calls[0].function.arguments)
answer = client.chat(model="mini", tools=[weather], messages=ASK + [
    call.message, {"role": "tool", "content": result, "tool_name": "weather"}])
check(answer.message.content == "It is 12 degrees in Ulm.", answer)

check(client.generate(model="mini", prompt="Hi", system="Be brief.").response == "You said: Hi",
      "generate")
parts = list(client.generate(model="mini:latest", prompt="Hi", stream=True))
check("".join(part.response for part in parts) == "You said: Hi", parts)
check(client.generate(model="mini", prompt="Once", raw=True).response == "and so on", "raw")
check(client.generate(model="mini").done_reason == "load", "load")
check([list(v) for v in client.embed(model="mini", input=["a", "b"]).embeddings]
      == [[0.5, 0.25], [0.5, 0.25]], "embed")
check([model.model for model in client.list().models] == ["mini"], client.list())
check([model.model for model in client.ps().models] == ["mini"], client.ps())
try:
    client.chat(model="other", messages=ASK)
    sys.exit("no error")
except ollama.ResponseError as error:
    check(error.status_code == 404, error)
print("ollama passed")
