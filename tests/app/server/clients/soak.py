"""Many clients for a while, a tenth of which leave midway: every other one gets its answer, the server counts what was
sent, and its memory, files and blocks in use stay as they are. Not a test by itself: for measurements.
python soak.py URL PID [CLIENTS] [SECONDS]"""
import asyncio
import os
import random
import re
import sys
import time

import aiohttp

URL, PID = sys.argv[1], int(sys.argv[2])
CLIENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 256
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 600
SHARED = "You are a patient teacher who explains everything with examples from the kitchen. "
EVERY = 30 if SECONDS > 120 else 10
counts = {"sent": 0, "answered": 0, "left": 0, "429": 0}
seen = {}  # Answers by question: the same each time.


def memory_mib():
    with open(f"/proc/{PID}/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def files():
    return len(os.listdir(f"/proc/{PID}/fd"))


async def metric(session, name, labels=""):
    """The sum of a metric's series whose labels contain the text."""
    async with session.get(URL + "/metrics") as response:
        lines = re.findall(rf"^{name}(\{{.*\}})? (\S+)$", await response.text(), re.M)
    return sum(float(value) for own, value in lines if labels in own)


async def state(session):
    requests = await metric(session, "quire_http_requests_total", "/v1/chat/completions")
    left = await metric(session, "quire_http_requests_total", 'completions",status="499"')
    blocks = await metric(session, "quire_engine_used_blocks")
    return {"requests_total": requests, "of them 499": left, "blocks in use": blocks, "files": files(),
            "MiB": round(memory_mib())}


async def one(session, dice, until):
    while time.monotonic() < until:
        number = dice.randrange(40)
        body = {"messages": [{"role": "system", "content": SHARED}, {"role": "user", "content": f"What is {number}?"}],
                "stream": True, "seed": number, "max_tokens": 24, "ignore_eos": True}
        leaves = dice.random() < 0.1
        text = ""
        counts["sent"] += 1
        async with session.post(URL + "/v1/chat/completions", json=body) as response:
            if response.status == 429:
                counts["429"] += 1
                await asyncio.sleep(float(response.headers["Retry-After"]))
                continue
            if response.status != 200:
                sys.exit(f"failed: {response.status} {await response.text()}")
            events = 0
            async for line in response.content:
                text += line.decode()
                events += 1
                if leaves and events > 8:
                    break
        if leaves:
            counts["left"] += 1
            continue
        if not text.endswith("data: [DONE]\n\n"):
            sys.exit(f"failed: an answer was cut: {text[-300:]}")
        answer = "".join(part.split('"content":"')[1].split('"}')[0] for part in text.split("\n") if '"content":"' in part)
        if seen.setdefault(number, answer) != answer:
            sys.exit(f"failed: {number} has two answers: {answer!r} and {seen[number]!r}")
        counts["answered"] += 1


async def main():
    until = time.monotonic() + SECONDS
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async with session.get(URL + "/health"):
            pass  # One connection is open in both states.
        print("at the start:", await state(session), flush=True)
        clients = [asyncio.create_task(one(session, random.Random(i), until)) for i in range(CLIENTS)]
        while time.monotonic() < until:
            print(f"{counts} {memory_mib():.0f} MiB, {files()} files", flush=True)
            await asyncio.sleep(min(EVERY, max(0.1, until - time.monotonic())))
        await asyncio.gather(*clients)
    await asyncio.sleep(2)
    async with aiohttp.ClientSession() as session:
        async with session.get(URL + "/health"):
            pass
        await asyncio.sleep(1)
        end = await state(session)
        print("at the end:", end, counts)
    if end["requests_total"] != counts["sent"]:
        sys.exit(f"failed: {counts['sent']} were sent and {end['requests_total']:.0f} counted")
    if end["blocks in use"] != 0:
        sys.exit("failed: blocks are still in use")


asyncio.run(main())
