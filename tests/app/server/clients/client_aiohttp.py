"""aiohttp: 1 to 256 requests at once, all answered, the same as alone; a tenth of a second round leaves midway.
python client_aiohttp.py URL"""
import asyncio
import sys
import time

import aiohttp

URL = sys.argv[1]
PROMPTS = ["Once upon a time", "The capital of France", "Hello, my name is", "The future is", "A cat sat",
           "My favourite", "In the morning", "She said"]


def body(i, **fields):
    return {"prompt": PROMPTS[i % len(PROMPTS)], "max_tokens": 12, "seed": i % len(PROMPTS), "temperature": 0.8,
            "top_p": 0.95, **fields}


async def ask(session, i):
    async with session.post(URL + "/v1/completions", json=body(i)) as response:
        answer = await response.json()
        if response.status != 200:
            sys.exit(f"failed: {response.status} {answer}")
        return answer["choices"][0]["text"]


async def leave_midway(session, i):
    async with session.post(URL + "/v1/completions", json=body(i, stream=True, max_tokens=200, ignore_eos=True)) as r:
        async for line in r.content:
            if line.startswith(b"data: "):
                return


async def gauges(session):
    async with session.get(URL + "/metrics") as response:
        lines = (await response.text()).splitlines()
    return {line.split(" ")[0]: float(line.split(" ")[1]) for line in lines if not line.startswith("#")}


async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        alone = [await ask(session, i) for i in range(len(PROMPTS))]
        for concurrent in (1, 4, 16, 64, 256):
            begin = time.monotonic()
            answers = await asyncio.gather(*(ask(session, i) for i in range(concurrent)))
            seconds = time.monotonic() - begin
            wrong = [i for i, text in enumerate(answers) if text != alone[i % len(PROMPTS)]]
            if wrong:
                sys.exit(f"failed: {len(wrong)} of {concurrent} answers differ from those alone")
            print(f"{concurrent} at once: {seconds:.2f} s")
        rounds = [ask(session, i) if i % 10 else leave_midway(session, i) for i in range(200)]
        await asyncio.gather(*rounds)
    async with aiohttp.ClientSession() as session:
        for _ in range(100):
            left = (await gauges(session)).get("quire_engine_used_blocks{model=\"quire-mini\"}", 0)
            if left == 0:
                break
            await asyncio.sleep(0.1)
        if left:
            sys.exit(f"failed: {left} blocks are still used")


asyncio.run(main())
print("ok")
