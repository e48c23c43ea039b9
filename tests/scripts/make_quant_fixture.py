#!/usr/bin/env python3
"""Writes tests/data/quant/TYPE.bin: blocks of each GGUF quantised type with their values.

A file is N blocks of random bytes, then the float32 values that the `gguf` package (gguf.quants.dequantize) gives
them. N is what the sizes of a block allow. Scales are drawn from all finite halves, with zeros, subnormals and the
largest ones of both signs among them, because those are where implementations differ.

Needs the PyPI packages gguf and numpy; made with gguf 0.19.0 and numpy 2.4.6 (the values do not depend on them).
"""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGML_QUANT_SIZES, quants

FOLDER = Path(__file__).resolve().parents[1] / "data" / "quant"

# Byte offsets of the half-precision numbers in a block.
HALVES = {
    Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0],
    Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208],
    Type.IQ4_NL: [0], Type.IQ4_XS: [0], Type.MXFP4: [],
}  # fmt: skip

ODD_HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x3C00, 0x7BFF, 0xFBFF]
ODD_EXPONENTS = [0, 1, 2, 3, 126, 127, 252, 253, 254, 255]


def finite_halves(random: np.random.Generator, count: int) -> np.ndarray:
    halves = random.integers(0, 0x7C00, count, dtype=np.uint16)
    return halves | (random.integers(0, 2, count, dtype=np.uint16) << np.uint16(15))


def make_blocks(qtype: Type, random: np.random.Generator) -> np.ndarray:
    elements, size = GGML_QUANT_SIZES[qtype]
    count = 64 if elements == 32 else 24
    blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
    for i, offset in enumerate(HALVES[qtype]):
        halves = finite_halves(random, count)
        # Rolled, so that a format's two halves are not odd in the same way.
        halves[: len(ODD_HALVES)] = np.roll(ODD_HALVES, 3 * i)
        blocks[:, offset : offset + 2] = halves.reshape(-1, 1).view(np.uint8)
    if qtype == Type.MXFP4:
        blocks[: len(ODD_EXPONENTS), 0] = ODD_EXPONENTS
    return blocks


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20240917)
    for qtype in HALVES:
        blocks = make_blocks(qtype, random)
        with np.errstate(over="ignore"):
            values = quants.dequantize(blocks, qtype)
        assert values.dtype == np.float32 and not np.isnan(values).any()
        path = FOLDER / f"{qtype.name.lower()}.bin"
        path.write_bytes(blocks.tobytes() + values.astype("<f4").tobytes())
        print(path.name, blocks.shape, values.shape)


if __name__ == "__main__":
    main()
