"""LangChain's client of OpenAI: chats, streams and tools.  python client_langchain.py URL"""
import sys

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def weather(city: str) -> str:
    """Weather of a city."""
    return f"12 degrees in {city}"


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


for use_responses_api in (False, True):
    model = ChatOpenAI(base_url=sys.argv[1] + "/v1", api_key="none", model="mini", max_retries=0,
                       temperature=0.5, use_responses_api=use_responses_api)
    chat = [SystemMessage("Be brief."), HumanMessage("Hi")]
    check(model.invoke(chat).text == "You said: Hi", "invoke")
    parts = list(model.stream(chat))
    check("".join(part.text for part in parts) == "You said: Hi", parts)
    check(model.invoke(chat).usage_metadata["input_tokens"] == 10, "usage")
    bound = model.bind_tools([weather])
    call = bound.invoke(chat)
    check(call.tool_calls[0]["args"] == {"city": "Ulm"}, call)
    streamed = None
    for part in bound.stream(chat):
        streamed = part if streamed is None else streamed + part
    check(streamed.tool_calls[0]["args"] == {"city": "Ulm"}, streamed)
    result = ToolMessage(weather.invoke(call.tool_calls[0]["args"]),
                         tool_call_id=call.tool_calls[0]["id"])
    check(bound.invoke(chat + [call, result]).text == "It is 12 degrees in Ulm.", "result")
print("langchain-openai passed")
