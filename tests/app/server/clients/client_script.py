"""The shape of a usual script: an aiohttp client of http://localhost:8000/v1/completions, as it is written for vLLM.
python client_script.py URL"""
import asyncio
import json
import sys

import aiohttp

API_URL = sys.argv[1].replace("127.0.0.1", "localhost") + "/v1/completions"


async def stream(prompt, out):
    payload = {
        "model": "quire-mini",
        "prompt": prompt,
        "n": 1,
        "best_of": 1,
        "use_beam_search": False,
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 16,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    headers = {"Authorization": "Bearer none"}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=600)) as session:
        async with session.post(API_URL, json=payload, headers=headers) as response:
            assert response.status == 200, await response.text()
            async for chunk in response.content:
                chunk = chunk.strip()
                if not chunk:
                    continue
                data = chunk.decode().removeprefix("data: ")
                if data == "[DONE]":
                    return
                event = json.loads(data)
                if event["choices"]:
                    out[prompt] = out.get(prompt, "") + event["choices"][0]["text"]
                else:
                    assert event["usage"]["completion_tokens"] == 16, event


async def main():
    prompts = ["Hello, my name is", "The president of the United States is", "The capital of France is",
               "The future of AI is"]
    out = {}
    await asyncio.gather(*(stream(prompt, out) for prompt in prompts))
    assert sorted(out) == sorted(prompts) and all(out.values()), out


asyncio.run(main())
print("ok")
