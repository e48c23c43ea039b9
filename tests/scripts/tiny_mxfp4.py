"""MXFP4 (OCP microscaling formats 1.0) as OpenAI's gpt-oss files hold it: blocks of 32 numbers along a row,
two 4-bit numbers (e2m1) a byte, the earlier one in the low nibble, and a power of two each (e8m0)."""

import torch

GRID = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
BLOCK = 32
BIAS = 127


def quantise(values):
    """(..., K) f32 -> blocks (..., K/32, 16) u8, scales (..., K/32) u8."""
    groups = values.reshape(*values.shape[:-1], -1, BLOCK)
    largest = groups.abs().amax(-1).clamp_min(2.0**-100)
    exponents = torch.floor(torch.log2(largest)) - 2
    scaled = groups / torch.exp2(exponents)[..., None]
    codes = (scaled.abs()[..., None] - GRID).abs().argmin(-1)
    codes = (codes + 8 * (scaled < 0)).to(torch.uint8)
    return codes[..., ::2] | (codes[..., 1::2] << 4), (exponents + BIAS).to(torch.uint8)


def dequantise(blocks, scales):
    """The inverse: (..., K) f32."""
    table = torch.cat([GRID, -GRID])
    pairs = torch.stack([blocks & 15, blocks >> 4], dim=-1).long()
    groups = table[pairs].flatten(-2) * torch.exp2(scales.float() - BIAS)[..., None]
    return groups.flatten(-2)
