#!/usr/bin/env python3
"""Writes tests/data/quant/TYPE.bin: blocks of each GGUF quantised type with their values.

A file is N blocks of random bytes, then the float32 values that the `gguf` package (gguf.quants.dequantize) gives
them. N is what the sizes of a block allow. Scales are drawn from all finite halves, with zeros, subnormals and the
largest ones of both signs among them, because those are where implementations differ.

Q1_0 and Q2_0 are not in the package's quants: their values are computed here, as llama.cpp's ggml-quants.c does
(dequantize_row_q1_0, dequantize_row_q2_0).

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
    Type.IQ4_NL: [0], Type.IQ4_XS: [0], Type.MXFP4: [], Type.IQ2_XXS: [0], Type.IQ2_XS: [0], Type.IQ2_S: [0],
    Type.IQ3_XXS: [0], Type.IQ3_S: [0], Type.IQ1_S: [0], Type.IQ1_M: [], Type.TQ1_0: [52], Type.TQ2_0: [64],
    Type.NVFP4: [],
}  # fmt: skip
# Types that only have a name, or nothing, in the package: elements and bytes of a block, bits of a code.
BITS = {"q1_0": (128, 18, 1), "q2_0": (64, 18, 2)}

ODD_HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x3C00, 0x7BFF, 0xFBFF]
ODD_EXPONENTS = [0, 1, 2, 3, 126, 127, 252, 253, 254, 255]


def finite_halves(random: np.random.Generator, count: int) -> np.ndarray:
    halves = random.integers(0, 0x7C00, count, dtype=np.uint16)
    return halves | (random.integers(0, 2, count, dtype=np.uint16) << np.uint16(15))


def make_blocks(qtype: Type, random: np.random.Generator) -> np.ndarray:
    elements, size = GGML_QUANT_SIZES[qtype]
    blocks = random_blocks(elements, size, HALVES[qtype], random)
    if qtype == Type.MXFP4:
        blocks[: len(ODD_EXPONENTS), 0] = ODD_EXPONENTS
    if qtype == Type.IQ1_M:
        # The half's nibbles stand in the upper halves of every second byte. No infinities or NaN.
        blocks[:, 55] &= 0xBF
    if qtype == Type.NVFP4:
        blocks[:16, 0] = [0x00, 0x01, 0x07, 0x08, 0x7E, 0x7F, 0x80, 0xFF, 0x38, 0x40, 0x0F, 0x10, 0x78, 0x70, 0x77, 0xFE]
    return blocks


def random_blocks(elements: int, size: int, halves_at: list, random: np.random.Generator) -> np.ndarray:
    count = 64 if elements < 256 else 24
    blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
    for i, offset in enumerate(halves_at):
        halves = finite_halves(random, count)
        # Rolled, so that a format's two halves are not odd in the same way.
        halves[: len(ODD_HALVES)] = np.roll(ODD_HALVES, 3 * i)
        blocks[:, offset : offset + 2] = halves.reshape(-1, 1).view(np.uint8)
    return blocks


def values_of_bits(blocks: np.ndarray, bits: int) -> np.ndarray:
    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = (blocks[:, 2:, None] >> shifts & (2**bits - 1)).reshape(len(blocks), -1).astype(np.float32)
    return scales * (2 * codes - 1 if bits == 1 else codes - 1)


NF4 = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023,
                1.0], dtype=np.float32)  # fmt: skip


def nibbles_of_32(codes: np.ndarray) -> np.ndarray:
    """Byte j of 16 holds elements j and j + 16."""
    groups = codes.reshape(len(codes), -1, 1, 16)
    return np.concatenate([groups & 15, groups >> 4], axis=2).reshape(len(codes), -1)


def e4m3(codes: np.ndarray) -> np.ndarray:
    exponent, mantissa = (codes >> 3 & 15).astype(np.int32), (codes & 7).astype(np.float32)
    number = np.where(exponent == 0, np.ldexp(mantissa, -9), np.ldexp(8 + mantissa, exponent - 10))
    return np.where(codes >= 128, -number, number).astype(np.float32)


def folder_blocks(name: str, elements: int, size: int, random: np.random.Generator) -> tuple:
    """Blocks that Hugging Face folders are read into (kernels/base/quant_blocks.h), and their values."""
    blocks = random.integers(0, 256, (64, size), dtype=np.uint8)
    if name.startswith("int4"):
        halves = finite_halves(random, 64)
        is_bf16 = random.integers(0, 2, 64, dtype=np.uint8)
        halves = np.where(is_bf16, halves & 0x8FFF | 0x3000, halves).astype(np.uint16)
        zeros = random.integers(0, 17, 64, dtype=np.uint8)
        blocks[:, :2] = halves[:, None].view(np.uint8)
        blocks[:, 2] = zeros | is_bf16 << 7
        of_bf16 = (halves.astype(np.uint32) << 16).view(np.float32)
        scales = np.where(is_bf16, of_bf16, halves.view(np.float16).astype(np.float32))
        codes = nibbles_of_32(blocks[:, 3:]).astype(np.float32) - zeros[:, None]
        return blocks, scales[:, None].astype(np.float32) * codes
    scales = random.normal(0, 1, 64).astype(np.float32)
    blocks[:, :4] = scales[:, None].view(np.uint8)
    codes = blocks[:, 4:]
    codes[(codes & 127) == 127] = 0  # E4M3's NaN.
    numbers = {"int8": codes.view(np.int8), "fp8": e4m3(codes), "nf4": NF4[nibbles_of_32(codes)[:, :elements]]}
    return blocks, scales[:, None] * numbers[name.split("_")[0]].astype(np.float32)


FOLDER_BLOCKS = {"int4_32": (32, 19), "int4_64": (64, 35), "int4_128": (128, 67), "int8_128": (128, 132),
                 "fp8_128": (128, 132), "nf4_64": (64, 36)}  # fmt: skip


def write(name: str, blocks: np.ndarray, values: np.ndarray) -> None:
    assert values.dtype == np.float32 and not np.isnan(values).any()
    path = FOLDER / f"{name}.bin"
    path.write_bytes(blocks.tobytes() + values.astype("<f4").tobytes())
    print(path.name, blocks.shape, values.shape)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20240917)
    for qtype in HALVES:
        blocks = make_blocks(qtype, random)
        with np.errstate(over="ignore"):
            values = quants.dequantize(blocks, qtype)
        write(qtype.name.lower(), blocks, values)
    for name, (elements, size, bits) in BITS.items():
        blocks = random_blocks(elements, size, [0], random)
        write(name, blocks, values_of_bits(blocks, bits))
    for name, (elements, size) in FOLDER_BLOCKS.items():
        write(name, *folder_blocks(name, elements, size, random))


if __name__ == "__main__":
    main()
