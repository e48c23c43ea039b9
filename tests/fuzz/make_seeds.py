"""Writes the inputs that fuzzing starts from, one folder a target: small files of every kind, from
tests/data and made here.

    python3 tests/fuzz/make_seeds.py FOLDER

`./dev fuzz` runs it; what the fuzzers find from there is kept in tests/fuzz/corpus.
"""
import glob
import hashlib
import json
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def find(pattern):
    return [os.path.relpath(path, ROOT) for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def safetensors_file(tensors, metadata=None):
    """`tensors`: (name, dtype, shape, number of bytes)."""
    header, end = {}, 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    if metadata:
        header["__metadata__"] = metadata
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


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


def main():
    for make in (safetensors, safetensors_index, config, template, sentencepiece, tokenizer_config):
        folder = os.path.join(sys.argv[1], make.__name__)
        os.makedirs(folder, exist_ok=True)
        for content in make():
            with open(os.path.join(folder, hashlib.sha1(content).hexdigest()), "wb") as file:
                file.write(content)


main()
