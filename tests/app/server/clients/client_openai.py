"""The package openai: models, chats, completions, embeddings; whole, streamed and async.  python client_openai.py URL"""
import asyncio
import sys

import openai

URL = sys.argv[1] + "/v1"
client = openai.OpenAI(base_url=URL, api_key="none", max_retries=0)
MODEL = client.models.list().data[0].id
ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello there!"}]
FIXED = {"model": MODEL, "seed": 7, "max_tokens": 16}


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def refused(kind, words, **fields):
    """The request is refused with that class of error and these words."""
    try:
        answer = client.chat.completions.create(**{**FIXED, "messages": ASK, **fields})
    except kind as error:
        check(words in str(error), error)
        return error
    sys.exit(f"failed: not refused: {fields}: {answer}")


check(client.models.retrieve(MODEL).id == MODEL, "retrieve")

# Whole, streamed and through the helper: the same answer.
answer = client.chat.completions.create(messages=ASK, **FIXED)
text = answer.choices[0].message.content
check(answer.choices[0].finish_reason in ("stop", "length") and text, answer)
check(answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens, answer)
chunks = list(client.chat.completions.create(
    messages=ASK, stream=True, stream_options={"include_usage": True}, **FIXED))
check("".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text, chunks)
check(chunks[-1].usage.completion_tokens == answer.usage.completion_tokens, chunks[-1])
check(chunks[-1].usage.prompt_tokens_details.cached_tokens > 0, "the prompt was cached")
with client.chat.completions.stream(messages=ASK, **FIXED) as stream:
    check(stream.get_final_completion().choices[0].message.content == text, "helper")

# Parts of text, several answers, log probabilities, stop strings.
parts = [{"role": "user", "content": [{"type": "text", "text": "Hello "}, {"type": "text", "text": "there!"}]}]
several = client.chat.completions.create(messages=parts, n=3, logprobs=True, top_logprobs=2, **FIXED)
check([c.index for c in several.choices] == [0, 1, 2], several)
tokens = several.choices[0].logprobs.content
check(len(tokens[0].top_logprobs) == 2 and tokens[0].logprob <= 0, tokens[0])
check(b"".join(bytes(t.bytes) for t in tokens).decode() == several.choices[0].message.content, tokens)
stopped = client.chat.completions.create(messages=ASK, stop=[text[3]], **FIXED)
check(stopped.choices[0].message.content == text[:text.index(text[3])], stopped)
check(stopped.choices[0].finish_reason == "stop", stopped)

# vLLM's further parameters.
extra = client.chat.completions.create(
    messages=ASK, extra_body={"top_k": 1, "min_p": 0.0, "repetition_penalty": 1.0, "priority": 5}, **FIXED)
greedy = client.chat.completions.create(messages=ASK, temperature=0, **FIXED)
check(extra.choices[0].message.content == greedy.choices[0].message.content, "top_k 1 is greedy")
prefix = ASK + [{"role": "assistant", "content": text[:4]}]
client.chat.completions.create(
    messages=prefix, extra_body={"continue_final_message": True, "add_generation_prompt": False}, **FIXED)

# Completions: text, a batch, token ids, best_of.
one = client.completions.create(prompt="Once upon", temperature=0, logprobs=1, **FIXED)
check(len(one.choices[0].logprobs.tokens) == one.usage.completion_tokens, one)
both = client.completions.create(prompt=["Once upon", "The capital"], temperature=0, **FIXED)
check(both.choices[0].text == one.choices[0].text and both.choices[1].index == 1, both)
best = client.completions.create(prompt="Once upon", best_of=4, **FIXED)
check(len(best.choices) == 1, best)
streamed = list(client.completions.create(prompt="Once upon", temperature=0, stream=True, **FIXED))
check("".join(c.choices[0].text for c in streamed) == one.choices[0].text, streamed)

# The prompt before the answer, as text and as its tokens; answers that may not end yet.
ids = client.post("/tokenize", body={"prompt": "Once upon"}, cast_to=object)["tokens"]
for prompt in ("Once upon", ids):
    echoed = client.completions.create(prompt=prompt, temperature=0, echo=True, n=2, **FIXED)
    check(all(c.text.endswith("Once upon" + one.choices[0].text) for c in echoed.choices), echoed)
first = one.choices[0].text[:3]
for least in (0, 9):
    held = client.completions.create(prompt="Once upon", temperature=0, stop=[first],
                                     extra_body={"min_tokens": least}, **FIXED)
    check(held.usage.completion_tokens >= least and (held.choices[0].text == "") == (least == 0), held)

# Vectors: the package asks for base64 unless it is told otherwise.
packed = client.embeddings.create(model=MODEL, input=["one", "two"])
plain = client.embeddings.create(model=MODEL, input=["one", "two"], encoding_format="float")
check(len(packed.data) == 2, packed)
pairs = zip(packed.data[1].embedding, plain.data[1].embedding)
check(all(abs(a - b) < 1e-6 for a, b in pairs), "base64")

# Errors.
refused(openai.NotFoundError, "There is no model", model="nope")
refused(openai.BadRequestError, "temperature", temperature=-1)
refused(openai.BadRequestError, "not known", extra_body={"guided_banana": 1})
refused(openai.BadRequestError, "Images", messages=[
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}])
overflow = refused(openai.BadRequestError, "tokens", messages=[{"role": "user", "content": "word " * 20000}])
check(overflow.code == "context_length_exceeded", overflow)


async def ask_many():
    many = openai.AsyncOpenAI(base_url=URL, api_key="none", max_retries=0)
    answers = await asyncio.gather(*(many.chat.completions.create(messages=ASK, **FIXED) for _ in range(16)))
    check(all(a.choices[0].message.content == text for a in answers), answers)
    stream = await many.chat.completions.create(messages=ASK, stream=True, **FIXED)
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    check("".join(pieces) == text, pieces)


asyncio.run(ask_many())
print("ok")
