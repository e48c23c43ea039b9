"""Requests that nobody should send: none may be answered with 500, and the server goes on.  python client_hostile.py URL [SEED]"""
import asyncio
import json
import random
import sys

import aiohttp

URL = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 25
NUM_REQUESTS = 1500
dice = random.Random(SEED)

VALUES = [None, True, False, 0, 1, -1, 2, 16, 1.5, -0.0, 1e308, -1e308, 2**31, 2**63, 2**64, "", "a", "auto", "none",
          "\u0000", "\ud83d\ude00" * 9, "x" * 5000, [], {}, [[]], [{}], [None], [1], [-1], [2**40], ["a"], [["a"]],
          [[1, 2], [3]], {"a": 1}, {"1": 5}, {"1": "x"}, {"type": "text"}, {"type": "json_object"},
          {"type": "json_schema"}, {"type": "json_schema", "json_schema": {"schema": {"type": "nonsense"}}},
          [{"role": "user", "content": "Hi"}], [{"role": "tool", "content": "x"}],
          [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}],
          [{"type": "function", "function": {"name": "f"}}], {"enable_thinking": []}, {"<|im_start|>": "x"}]
FIELDS = ["model", "messages", "prompt", "input", "tokens", "temperature", "top_p", "top_k", "min_p", "n", "best_of",
          "seed", "stop", "stop_token_ids", "logit_bias", "max_tokens", "max_completion_tokens", "logprobs",
          "top_logprobs", "stream", "stream_options", "tools", "tool_choice", "response_format", "priority",
          "chat_template_kwargs", "reasoning_effort", "continue_final_message", "add_generation_prompt", "user",
          "repetition_penalty", "presence_penalty", "ignore_eos", "encoding_format", "dimensions", "echo", "surprise"]
# What may well be answered, for the paths behind the parser.
PLAUSIBLE = {"temperature": [0, 0.7, 2, 100], "top_p": [0.1, 1], "top_k": [-1, 0, 1, 2**31 - 1], "min_p": [0, 0.5, 1],
             "n": [1, 2, 5], "seed": [0, -1, 2**63 - 1], "stop": ["a", ["the", "\u00e9"]], "stop_token_ids": [[5], [2**31 - 1]],
             "max_tokens": [1, 3, 40], "ignore_eos": [True, False], "stream": [True, False], "priority": [-99, 99],
             "repetition_penalty": [0.01, 1.3, 100], "presence_penalty": [-2, 2], "best_of": [1, 3],
             "prompt": ["x", ["x", "y"], [1, 2], [[1], [2, 3]], [2**31 - 1], "<s>" * 50, "long " * 4000],
             "messages": [[{"role": "assistant", "content": "x"}], [{"role": "system", "content": ""}],
                          [{"role": "user", "content": "</s>\u0000<|im_end|>" * 20}] * 5],
             "chat_template_kwargs": [{"enable_thinking": False}, {"messages": []}, {"bos_token": "x"}],
             "tools": [[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]],
             "input": ["", ["a", "b"], [5, 6], ["word " * 3000]], "encoding_format": ["float", "base64"],
             "tokens": [[], [1, 2, 3], [2**31 - 1]]}
GOOD = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2},
    "/v1/completions": {"prompt": "Hi", "max_tokens": 2},
    "/v1/embeddings": {"input": "Hi"},
    "/v1/tokenize": {"prompt": "Hi"},
    "/v1/detokenize": {"tokens": [1]},
}
SAMPLING = [field for field in PLAUSIBLE if field not in ("prompt", "messages", "chat_template_kwargs", "tools", "input",
                                                          "encoding_format", "tokens", "best_of")]
FITTING = {
    "/v1/chat/completions": SAMPLING + ["messages", "chat_template_kwargs", "tools"],
    "/v1/completions": SAMPLING + ["prompt", "best_of"],
    "/v1/embeddings": ["input", "encoding_format"],
    "/v1/tokenize": ["prompt"],
    "/v1/detokenize": ["tokens"],
}


def damaged(text):
    """The text with a few bytes changed, left out or repeated."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data))
        how = dice.randrange(3)
        if how == 0:
            data[at] = dice.randrange(256)
        elif how == 1:
            del data[at:at + dice.randint(1, 20)]
        else:
            data[at:at] = data[at:at + 10] * dice.randint(1, 50)
        if not data:
            return b"{"
    return bytes(data)


def request():
    path = dice.choice(list(GOOD))
    body = dict(GOOD[path])
    for _ in range(dice.randint(0, 4)):
        field = dice.choice(FITTING[path])
        body[field] = dice.choice(PLAUSIBLE[field])
    if dice.random() < 0.5:
        body[dice.choice(FIELDS)] = dice.choice(VALUES)
    text = json.dumps(body)
    return path, damaged(text) if dice.random() < 0.2 else text.encode()


async def send(session, gate, path, body):
    async with gate, session.post(URL + path, data=body, headers={"Content-Type": "application/json"}) as response:
        answer = await response.read()
        # 503: what asks for 2^31 tokens of a full context, say, is never a defect.
        if response.status >= 500 and response.status != 503:
            sys.exit(f"failed: {response.status} for {path} {body[:2000]!r}: {answer[:500]!r}")
        if response.status >= 400 and not json.loads(answer)["error"]["message"]:
            sys.exit(f"failed: no message for {path} {body[:2000]!r}")
        return response.status


async def main():
    gate = asyncio.Semaphore(16)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=300)) as session:
        statuses = await asyncio.gather(*(send(session, gate, *request()) for _ in range(NUM_REQUESTS)))
        async with session.get(URL + "/health") as response:
            if response.status != 200:
                sys.exit("failed: the server is not healthy any more")
    print({status: statuses.count(status) for status in sorted(set(statuses))})


asyncio.run(main())
print("ok")
