"""What a server of OpenAI's API can do, one feature after another: each that fails is named, and the rest still runs.
python client_features.py URL [OTHER_URL]

With one URL, which is Quire's, everything but the features of REFUSED must work. With another server's URL as well, the
features in which the two differ are printed as a table. Both serve the bundled model; the other one may be
llama-cpp-python's:  python -m llama_cpp.server --model quire-mini.gguf --model_alias quire-mini --n_ctx 2048"""
import asyncio
import json
import sys
import urllib.error
import urllib.request

import openai

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello there!"}]
STORY = [{"role": "user", "content": "Tell me a story about a dog."}]
SCHEMA = {"type": "object", "properties": {"age": {"type": "integer"}, "ok": {"type": "boolean"}},
          "required": ["age", "ok"], "additionalProperties": False}
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Weather of a city",
                                           "parameters": {"type": "object", "properties": {}}}}]
REFUSED = {"completions: `suffix`"}  # Each with an error that names the field.
FEATURES = {}


def feature(name):
    def add(function):
        FEATURES[name] = function
        return function
    return add


def check(condition, what="not what was asked for"):
    if not condition:
        raise AssertionError(what)


class Server:
    def __init__(self, url):
        self.url = url
        self.client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0, timeout=60)
        self.model = self.client.models.list().data[0].id

    def chat(self, **fields):
        return self.client.chat.completions.create(**{"model": self.model, "messages": ASK, "seed": 7, "temperature": 0,
                                                      "max_tokens": 16, **fields})

    def complete(self, **fields):
        return self.client.completions.create(**{"model": self.model, "prompt": "Once upon", "seed": 7, "temperature": 0,
                                                 "max_tokens": 8, **fields})

    def text(self, **fields):
        return self.chat(**fields).choices[0].message.content

    def post(self, path, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data if body else None, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def refused(self, words, **fields):
        try:
            self.chat(**fields)
        except openai.APIStatusError as error:
            check(error.status_code == 400, f"status {error.status_code}")
            check(all(word in str(error) for word in words), "the error does not say so")
            return error
        raise AssertionError("ignored")


@feature("models: retrieve one by its name")
def retrieve(s):
    check(s.client.models.retrieve(s.model).id == s.model)


@feature("chat: streamed is the same as whole")
def streamed(s):
    chunks = list(s.chat(stream=True))
    check("".join(c.choices[0].delta.content or "" for c in chunks) == s.text(), "another text")
    check(chunks[-1].choices[0].finish_reason in ("stop", "length"), "no finish_reason")


@feature("chat: `usage` at the end of a stream")
def stream_usage(s):
    last = list(s.chat(stream=True, stream_options={"include_usage": True}))[-1]
    check(last.usage is not None and last.usage.completion_tokens > 0, "no usage")


@feature("chat: `usage` counts cached tokens")
def cached_tokens(s):
    s.chat()
    details = s.chat().usage.prompt_tokens_details
    check(details is not None and details.cached_tokens > 0, "no count")


@feature("chat: the same seed gives the same text")
def seed(s):
    texts = [s.text(temperature=1.0) for _ in range(3)]
    check(len(set(texts)) == 1, "another text")
    others = {s.text(messages=STORY, temperature=1.5, seed=seed) for seed in range(5)}
    check(len(others) > 1, "no other text with other seeds")


@feature("chat: `n` answers")
def several(s):
    check([c.index for c in s.chat(n=3).choices] == [0, 1, 2], "one answer")


@feature("chat: `logprobs` with the bytes of each token")
def logprobs(s):
    choice = s.chat(logprobs=True, top_logprobs=2).choices[0]
    tokens = choice.logprobs.content
    check(len(tokens[0].top_logprobs) == 2, "no top_logprobs")
    check(b"".join(bytes(t.bytes or []) for t in tokens).decode() == choice.message.content, "no bytes")


@feature("chat: `stop` ends it, and is not part of it")
def stop(s):
    text = s.text()
    check(s.text(stop=[text[3]]) == text[:text.index(text[3])])


@feature("chat: `logit_bias`")
def logit_bias(s):
    check(s.text(logit_bias={"300": 100}) != s.text(), "no effect")


@feature("chat: `top_k`, `min_p` and a repetition penalty")
def samplers(s):
    greedy = s.text()
    check(s.text(temperature=2.0, extra_body={"top_k": 1}) == greedy, "top_k has no effect")
    check(s.text(temperature=2.0, extra_body={"min_p": 1.0}) == greedy, "min_p has no effect")
    for name in ("repetition_penalty", "repeat_penalty"):
        try:
            if s.text(messages=STORY, extra_body={name: 50.0}, max_tokens=60) != s.text(messages=STORY, max_tokens=60):
                return
        except openai.BadRequestError:
            pass
    raise AssertionError("the penalty has no effect")


@feature("chat: `stop_token_ids` and `ignore_eos`, as in vLLM")
def vllm_fields(s):
    check(s.chat(extra_body={"ignore_eos": True}, max_tokens=60).usage.completion_tokens == 60, "ignore_eos is ignored")


@feature("chat: `max_completion_tokens`")
def max_completion_tokens(s):
    check(s.chat(max_tokens=openai.omit, max_completion_tokens=2).usage.completion_tokens == 2, "ignored")


@feature("chat: an assistant's last message is continued")
def continued(s):
    more = {"continue_final_message": True, "add_generation_prompt": False}
    prefix = [ASK[1], {"role": "assistant", "content": "I am a mouse and my name is"}]
    answer = s.chat(messages=prefix, extra_body=more)
    check(answer.usage.prompt_tokens == prompt_tokens(s, prefix), "a new answer")


def prompt_tokens(s, messages):
    """Of the template with an open assistant's message at its end."""
    text = "<|user|>" + messages[0]["content"] + "<|end|><|assistant|>" + messages[1]["content"]
    return s.complete(prompt=text, max_tokens=1).usage.prompt_tokens


@feature("chat: content in parts of text")
def parts(s):
    halves = [{"type": "text", "text": "Hello "}, {"type": "text", "text": "there!"}]
    one = s.chat(messages=[{"role": "user", "content": "Hello there!"}])
    check(s.text(messages=[{"role": "user", "content": halves}]) == one.choices[0].message.content, "another text")


@feature("chat: the role `developer`")
def developer(s):
    check(s.text(messages=[{**ASK[0], "role": "developer"}, ASK[1]]) == s.text(), "another text")


@feature("chat: any JSON (`json_object`)")
def json_object(s):
    choice = s.chat(response_format={"type": "json_object"}, max_tokens=200).choices[0]
    check(choice.message.content.lstrip()[:1] in set('{["-0123456789tfn'), "not JSON")
    if choice.finish_reason == "stop":
        json.loads(choice.message.content)


@feature("chat: JSON of a schema (`json_schema`)")
def json_schema(s):
    form = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
    answer = json.loads(s.text(response_format=form, max_tokens=200))
    check(type(answer["age"]) is int and type(answer["ok"]) is bool and len(answer) == 2, "not of the schema")


@feature("chat: `tools` for a template without tools is an error")
def tools(s):
    s.refused(["tool"], tools=TOOLS)


@feature("completions: several prompts in one request")
def batch(s):
    both = s.complete(prompt=["Once upon", "The capital"]).choices
    check([c.index for c in both] == [0, 1] and both[0].text == s.complete().choices[0].text)


@feature("completions: token ids as the prompt")
def ids(s):
    check(s.complete(prompt=[1, 400, 500]).usage.prompt_tokens == 3)
    check(len(s.complete(prompt=[[1, 400], [1, 500]]).choices) == 2, "not several")


@feature("completions: `best_of`")
def best_of(s):
    check(len(s.complete(best_of=3, temperature=1.0).choices) == 1)


@feature("completions: `logprobs`")
def text_logprobs(s):
    choice = s.complete(logprobs=2).choices[0]
    check("".join(choice.logprobs.tokens) == choice.text and len(choice.logprobs.top_logprobs[0]) >= 2)


@feature("completions: `echo`")
def echo(s):
    check(s.complete(echo=True).choices[0].text.startswith("Once upon"))


@feature("completions: `suffix`")
def suffix(s):
    s.complete(suffix=" the end.")


@feature("embeddings: numbers and base64")
def embeddings(s):
    # The package asks for base64 unless it is told otherwise.
    packed = s.client.embeddings.create(model=s.model, input=["one", "two"]).data[1].embedding
    plain = s.client.embeddings.create(model=s.model, input=["one", "two"], encoding_format="float").data[1].embedding
    check(max(abs(a - b) for a, b in zip(packed, plain)) < 1e-5 and len(packed) == len(plain))


def answers(path, body=None):
    def run(s):
        status, said = s.post(path, body and {"model": s.model, **body})
        check(status == 200, f"status {status}")
        return said
    return run


SAY = {"messages": [ASK[1]], "max_tokens": 4}
FEATURES["`/v1/responses`"] = answers("/v1/responses", {"input": "Hi", "max_output_tokens": 16})
FEATURES["`/v1/messages` (Anthropic)"] = answers("/v1/messages", SAY)
FEATURES["`/api/chat` (Ollama)"] = answers("/api/chat", {"messages": [ASK[1]], "stream": False})
FEATURES["`/v1/tokenize`, as in vLLM"] = answers("/v1/tokenize", {"prompt": "Hi"})
FEATURES["`/health`"] = answers("/health")
FEATURES["`/metrics`"] = answers("/metrics")


@feature("error: a model that is not there is 404")
def unknown_model(s):
    try:
        s.chat(model="nope")
    except openai.NotFoundError:
        return
    raise AssertionError("another model answers")


@feature("error: a field that is not known")
def unknown_field(s):
    s.refused(["guided_banana"], extra_body={"guided_banana": 1})


@feature("error: a value out of its range names its field")
def out_of_range(s):
    check(s.refused(["temperature"], temperature=-1).param == "temperature", "the error has no param")


@feature("error: a prompt that is too long has `context_length_exceeded`")
def too_long(s):
    words = [{"role": "user", "content": "word " * 20000}]
    check(s.refused(["2048"], messages=words).code == "context_length_exceeded", "no code")


@feature("error: an image for a model without eyes")
def image(s):
    s.refused([], messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}])


@feature("error: what is not JSON is 400")
def not_json(s):
    status, _ = s.post("/v1/chat/completions", b"{nonsense")
    check(status == 400, f"status {status}")


@feature("error: its shape is OpenAI's (`error.message`, `type`)")
def shape(s):
    _, body = s.post("/v1/chat/completions", {"messages": 5})
    error = json.loads(body)["error"]
    check(error["message"] and error["type"], "no message")


@feature("16 streams at once: each is complete, and the same as alone")
def concurrent(s):
    alone = s.text()

    async def one(client):
        stream = await client.chat.completions.create(model=s.model, messages=ASK, seed=7, temperature=0, max_tokens=16,
                                                      stream=True)
        return "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])

    async def many():
        client = openai.AsyncOpenAI(base_url=s.url + "/v1", api_key="none", max_retries=0, timeout=60)
        return await asyncio.gather(*(one(client) for _ in range(16)), return_exceptions=True)

    texts = asyncio.run(many())
    check(not any(isinstance(text, Exception) for text in texts), "some fail")
    check(all(text == alone for text in texts), f"{sum(text != alone for text in texts)} differ")


def failures(url):
    """Why features do not work, by their names."""
    server = Server(url)
    found = {}
    for name, run in FEATURES.items():
        try:
            run(server)
        except Exception as error:  # Whatever the client or the check says.
            found[name] = " ".join((str(error) or type(error).__name__).split())[:160]
    return found


def main():
    ours = failures(sys.argv[1])
    if len(sys.argv) > 2:
        other = failures(sys.argv[2])
        print("| feature | here | there |\n|---|---|---|")
        for name in FEATURES:
            if name in ours or name in other:
                print(f"| {name} | {ours.get(name, 'yes')} | {other.get(name, 'yes')} |")
        print(f"\n{len(FEATURES)} features: {len(FEATURES) - len(ours)} here, {len(FEATURES) - len(other)} there")
    wrong = {name: why for name, why in ours.items() if name not in REFUSED}
    wrong |= {name: "works, but is said to be refused" for name in REFUSED if name not in ours}
    if wrong:
        sys.exit("failed: " + json.dumps(wrong, indent=1))
    print("ok")


main()
