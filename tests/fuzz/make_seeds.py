"""Writes the inputs that fuzzing starts from, one folder a target: small files of every kind, from
tests/data and made here.

    python3 tests/fuzz/make_seeds.py FOLDER

`./dev fuzz` runs it; what the fuzzers find from there is kept in tests/fuzz/corpus.
"""
import hashlib
import json
import os
import re
import struct
import sys

import app_seeds
import model_seeds
from file_builders import find, gguf_array, gguf_file, gguf_string, gguf_vocabulary, read, safetensors_file

def safetensors():
    yield safetensors_file([])
    yield safetensors_file([("a", "F32", [2, 3], 24), ("b.weight", "BF16", [4], 8)], {"format": "pt"})
    yield safetensors_file([("odd", "U8", [3], 3), ("unaligned", "F32", [2], 8), ("half", "F16", [1, 1, 2], 4)])
    yield safetensors_file([("scalar", "F64", [], 8), ("empty", "I64", [0, 5], 0), ("bits", "BOOL", [2], 2)])
    yield safetensors_file([("f8", "F8_E4M3", [4], 4), ("f8b", "F8_E5M2", [2, 2], 4), ("i", "I32", [1, 1, 1, 1, 1], 4)])
    yield struct.pack("<Q", 1 << 62) + b"{}"
    yield struct.pack("<Q", 2) + b"{}"


def safetensors_index():
    index = json.loads(read("tests/data/models/sharded/model.safetensors.index.json"))
    kept = ("model-00001-of-00004.safetensors", "model-00004-of-00004.safetensors")
    index["weight_map"] = {name: file for name, file in index["weight_map"].items() if file in kept}
    yield json.dumps(index).encode()
    yield json.dumps({"weight_map": dict(list(index["weight_map"].items())[:2])}).encode()
    yield b'{"weight_map": {"a": "../x.safetensors", "b": "/etc/passwd", "c": ""}}'


def gguf():
    text = (b"general.architecture", 8, gguf_string(b"llama"))
    strings = (b"tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + gguf_string(b"<s>") + gguf_string(b"a"))
    numbers = [(b"n%d" % kind, kind, bytes([1]) * size)
               for kind, size in ((0, 1), (1, 1), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4), (7, 1), (10, 8), (11, 8), (12, 8))]
    arrays = [(b"a%d" % kind, 9, struct.pack("<IQ", kind, 3) + bytes([1]) * size * 3)
              for kind, size in ((0, 1), (3, 2), (5, 4), (6, 4), (7, 1), (11, 8), (12, 8))]
    split = [(b"split.no", 2, struct.pack("<H", 0)), (b"split.count", 2, struct.pack("<H", 1))]
    blocks = [(b"t%d" % kind, (elements, 2), kind, bytes(size * 2))
              for kind, elements, size in ((0, 4, 16), (1, 4, 8), (2, 32, 18), (3, 32, 20), (6, 32, 22), (7, 32, 24), (8, 32, 34),
                                           (10, 256, 84), (12, 256, 144), (14, 256, 210), (20, 32, 18), (30, 4, 8), (39, 32, 17))]
    yield gguf_file([], [])
    yield gguf_file([text, strings], [(b"output_norm.weight", (4,), 0, bytes(16))])
    yield gguf_file(numbers, [], version=2)
    yield gguf_file(arrays + [(b"general.alignment", 4, struct.pack("<I", 32))], blocks[:2])
    yield gguf_file(split + [text], blocks[2:5])
    for block in blocks:
        yield gguf_file([text], [block])
    yield gguf_file([text], [(b"unknown", (32,), 99, bytes(32)), (b"empty", (0,), 0, b"")])
    yield gguf_file([text], [])[:-20]


def gguf_tokenizer():
    start = ["<unk>", "<s>", "</s>"]
    words = ["▁", "a", "b", "ab", "▁a", "▁ab", "H", "e", "l", "o"]
    for count in (4, 256):
        tokens = start + ["<0x%02X>" % i for i in range(count)] + words
        types = [2, 3, 3] + [6] * count + [1] * (len(words) - 1) + [4]
        for flag in (0, 1):
            yield gguf_vocabulary("llama", tokens, types, scores=gguf_array(6, "<f", [-i for i in range(len(tokens))]),
                                  add_space_prefix=(7, bytes([flag])))
    characters = [chr(c) for c in list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256)) + list(range(256, 324))]
    for pre in ("llama-bpe", "qwen2", "gpt-2", "deepseek-llm", "default"):
        tokens = start + characters + ["ab", "He", "ll", "Ġa"]
        yield gguf_vocabulary("gpt2", tokens, [2, 3, 3] + [1] * (len(tokens) - 4) + [4], pre=(8, gguf_string(pre.encode())),
                              merges=gguf_array(8, "", ["a b", "H e", "l l", "Ġ a"]))


def config():
    for path in find("tests/data/models/*/config.json"):
        yield read(path) + b"\0" + read(path.replace("config.json", "generation_config.json"))
        yield read(path)
    yield read("resources/models/quire-mini/config.json")


def template():
    for case in json.loads(read("tests/data/templates/cases.json"))["cases"]:
        yield case["template"].encode("utf-8", "surrogatepass")
    for path in find("../shared/conformance/templates/*.jinja"):
        yield read(path)


def tool_calls():
    """The number of a family in fuzz_tool_calls.cpp, and an answer."""
    call = '{"name": "f", "arguments": {"x": "a\\"</tool_call>", "y": [1, {"z": null}]}}'
    deep = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>"
    answers = [
        (0, f"Hi <tool_call>\n{call}\n</tool_call>\n<tool_call>{call}"),
        (0, "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call> so"),
        (1, "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"),
        (1, "<function=f>{\"x\": 1}</function></tool_call>"),
        (2, ' {"name": "f", "parameters": {}}; {"name": "f", "parameters": {"y": 2}}'),
        (2, "<|python_tag|>" + call), (3, f"[TOOL_CALLS][{call}, {call}]"),
        (3, '[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"x": "1"}[TOOL_CALLS]f{}'),
        (4, f"<|START_ACTION|>[{call}]<|END_ACTION|>"), (5, f"functools[{call}]"),
        (6, deep + 'function<｜tool▁sep｜>f\n```json\n{"x": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'),
        (6, deep + 'f<｜tool▁sep｜>{}<｜tool▁call▁end｜>'),
        (7, '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>'),
        (8, '<|channel|>commentary to=functions.f<|message|>{"x": 1}<|call|>'), (9, f"<|tool_call|>[{call}]"),
        *((family, '[{"function": {"name": "g", "parameters": {"type": "object", "properties": {"a": {"enum": [1]}}}}}]')
          for family in range(10))]
    for family, answer in answers:
        yield bytes([family]) + answer.encode()
        yield bytes([family + 20]) + answer.encode()[:-9]


def grammar():
    """The schemas of the tests, each with choices of an answer's tokens."""
    for path in find("tests/engine/grammar/*cases.cpp"):
        for schema in re.findall(r'row\("[^"]*",\s*R"\((.*?)\)",', read(path).decode(), re.DOTALL):
            yield schema.encode() + b"\0" + hashlib.sha256(schema.encode()).digest()


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def fields(message):
    """The length-delimited fields of a serialised message, as (number, content)."""
    at = 0
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        tag = number()
        assert tag & 7 == 2, "only fields with a length stand at the top of a tokenizer.model"
        size = number()
        yield tag >> 3, message[at:at + size]
        at += size


def sentencepiece():
    for path in find("tests/data/tokenizer/*/tokenizer.model"):
        parts = list(fields(read(path)))
        pieces = [content for number, content in parts if number == 1]
        others = b"".join(field(number, content) for number, content in parts if number != 1)
        for kept in (pieces[:3], pieces[:8] + pieces[-24:], pieces[:3] + pieces[60:76] + pieces[-12:]):
            yield b"".join(field(1, piece) for piece in kept) + others


def tokenizer_config():
    token = {"content": "<|end|>", "lstrip": False, "normalized": False, "rstrip": True, "single_word": False, "special": True}
    yield json.dumps({"added_tokens_decoder": {"3": token, "260": token}, "bos_token": "<s>", "eos_token": token,
                      "add_bos_token": True, "legacy": False, "additional_special_tokens": ["<|a|>", token]}).encode()
    for path in find("tests/data/tokenizer/*/tokenizer_config.json"):
        yield read(path)
    yield b"{}\0" + json.dumps({"bos_token": token, "additional_special_tokens": ["<unk>"]}).encode() + b'\0{"<|x|>": 300, "": 5}'


def tokenizer_json():
    """The steps of each real kind over a vocabulary of a few tokens."""
    for path in find("tests/data/tokenizer/golden/*/tokenizer.json"):
        document = json.loads(read(path))
        model = document["model"]
        words = list(model["vocab"])
        kept = words[:24] + [word for word in words if word in ("▁", "Ġ", "<unk>", "<0x0A>")]
        model["merges"] = [[a, b] for a, b in ((m if isinstance(m, list) else m.split(" ", 1)) for m in model["merges"])
                           if len(a + b) <= 2][:8]
        for a, b in model["merges"]:
            kept += [a, b, a + b]
        ids = {word: at for at, word in enumerate(dict.fromkeys(kept))}
        model["vocab"] = ids
        for at, token in enumerate(document["added_tokens"]):
            token["id"] = len(ids) + at
        yield json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


TEXT_MARK = b"\0TEXT\0"
TEXTS = ["Hello,  world! It's 2026-11-24.\n\n\tdone", "\u304b\u3099 \uc548\ub155 \U0001f999 \ufdfa\u2581\u2581a",
         "<s></s><|end|>aaaaaaaaaaaaaaaaaaaaaaaa", " \u00a0e\u0301\u200d\u0661\u0662\u0663 caf\u00e9"]


def with_texts(make):
    """The same inputs, each with a text to be encoded behind it."""
    for at, content in enumerate(make()):
        yield content + TEXT_MARK + TEXTS[at % len(TEXTS)].encode()


def inspect():
    yield from model_seeds.forward()
    yield from gguf_tokenizer()
    yield from model_seeds.whole(next(iter(tokenizer_json())))


TARGETS = {
    "safetensors": safetensors, "safetensors_index": safetensors_index, "gguf": gguf, "config": config, "template": template,
    "tool_calls": tool_calls, "grammar": grammar,
    "gguf_tokenizer": lambda: with_texts(gguf_tokenizer), "sentencepiece": lambda: with_texts(sentencepiece),
    "tokenizer_config": lambda: with_texts(tokenizer_config), "tokenizer_json": lambda: with_texts(tokenizer_json),
    "forward": model_seeds.forward, "inspect": inspect, "markdown": app_seeds.markdown, "math": app_seeds.math,
    "import": app_seeds.exports, "store": app_seeds.store, "prefix": app_seeds.prefix, "http": app_seeds.http}


def main():
    for name, make in TARGETS.items():
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        for content in make():
            with open(os.path.join(folder, hashlib.sha1(content).hexdigest()), "wb") as file:
                file.write(content)


main()
