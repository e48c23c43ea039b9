"""Small files of the kinds that models come in, byte by byte."""
import glob
import json
import os
import struct

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


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text


def gguf_file(values, tensors, version=3):
    """`values`: (key, type, packed value); `tensors`: (name, dimensions, type, bytes)."""
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    for key, kind, packed in values:
        out += gguf_string(key) + struct.pack("<I", kind) + packed
    data = b""
    for name, dimensions, kind, content in tensors:
        out += gguf_string(name) + struct.pack("<I", len(dimensions))
        out += b"".join(struct.pack("<Q", n) for n in dimensions) + struct.pack("<IQ", kind, len(data))
        data += content + bytes(-len(content) % 32)
    return out + bytes(-len(out) % 32) + data


def gguf_array(kind, form, values):
    packed = b"".join(gguf_string(v.encode()) if kind == 8 else struct.pack(form, v) for v in values)
    return 9, struct.pack("<IQ", kind, len(values)) + packed


def gguf_vocabulary(model, tokens, types, **more):
    values = {"general.architecture": (8, gguf_string(b"llama")), "tokenizer.ggml.model": (8, gguf_string(model.encode())),
              "tokenizer.ggml.tokens": gguf_array(8, "", tokens), "tokenizer.ggml.token_type": gguf_array(5, "<i", types),
              "tokenizer.ggml.bos_token_id": (4, struct.pack("<I", 1)), "tokenizer.ggml.eos_token_id": (4, struct.pack("<I", 2)),
              "tokenizer.ggml.add_bos_token": (7, bytes([1]))}
    values.update({"tokenizer.ggml." + key: value for key, value in more.items()})
    return gguf_file([(key.encode(), kind, packed) for key, (kind, packed) in values.items()], [])
