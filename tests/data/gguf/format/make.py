"""Writes every_type.gguf with the reference implementation (PyPI package gguf): one key of every
type of value and one tensor of every type, 1 or 2 blocks a row, with fixed random bytes.

every_type.json beside it lists what the reference reader says of it, for tst_gguf_file.

Usage: python tests/data/gguf/format/make.py
"""

import hashlib
import json
from pathlib import Path

import gguf
import numpy as np

HERE = Path(__file__).parent


def write(path: Path) -> None:
    random = np.random.default_rng(3)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint8("test.u8", 200)
    writer.add_int8("test.i8", -100)
    writer.add_uint16("test.u16", 60000)
    writer.add_int16("test.i16", -30000)
    writer.add_uint32("test.u32", 4000000000)
    writer.add_int32("test.i32", -2000000000)
    writer.add_uint64("test.u64", 2**64 - 1)
    writer.add_int64("test.i64", -(2**62))
    writer.add_float32("test.f32", 0.5)
    writer.add_float64("test.f64", 0.1)
    writer.add_bool("test.bool", True)
    writer.add_string("test.string", "héllo")
    writer.add_array("test.strings", ["a", "", "日本"])
    writer.add_array("test.integers", [1, -2, 3])
    writer.add_array("test.numbers", [0.5, -1.25])
    writer.add_array("test.bools", [True, False, True])
    for kind, (elements, size) in gguf.GGML_QUANT_SIZES.items():
        # The package still has the size of Q8_1 before 2023; the type never occurs in files.
        if kind == gguf.GGMLQuantizationType.Q8_1:
            continue
        row = elements * 2 if elements > 1 else 3
        raw = random.integers(0, 256, (2, row // elements * size), dtype=np.uint8)
        writer.add_tensor(f"tensor.{kind.name}", raw, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(path: Path) -> list:
    return [
        {
            "name": tensor.name,
            "dtype": tensor.tensor_type.name,
            "shape": [int(n) for n in reversed(tensor.shape)],
            "offset": int(tensor.data_offset),
            "bytes": int(tensor.n_bytes),
            "sha256": hashlib.sha256(tensor.data.tobytes()).hexdigest(),
        }
        for tensor in gguf.GGUFReader(path).tensors
    ]


if __name__ == "__main__":
    write(HERE / "every_type.gguf")
    tensors = describe(HERE / "every_type.gguf")
    (HERE / "every_type.json").write_text(json.dumps(tensors, indent=1) + "\n")
