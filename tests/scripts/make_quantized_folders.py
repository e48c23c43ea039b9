#!/usr/bin/env python3
"""Writes tests/data/quantized: one layer "l" in each way that Hugging Face folders quantise, with its reference.

CASE.safetensors holds the layer's tensors as such folders name them, and "expected", the weight (outputs, inputs)
that the format's own package makes of them: autoawq 0.2.9 (dequantize_gemm), compressed-tensors 0.20.0, transformers
5.23 (_dequantize_fp8_weight), bitsandbytes 0.50.2; of GPTQ gptqmodel 7.7's dequantize_weight, repeated here because the
package is large. CASE.json is the folder's quantization_config. Codes are random; so are scales, within their types.

Needs torch, safetensors, transformers, autoawq's source (its packing_utils.py alone), compressed-tensors and
bitsandbytes. Usage: make_quantized_folders.py <folder with autoawq's source>
"""

import importlib.util
import json
import sys
from pathlib import Path

import torch
from bitsandbytes import functional as bnb
from compressed_tensors.compressors.pack_quantized.helpers import pack_to_int32
from compressed_tensors.quantization import QuantizationArgs
from compressed_tensors.quantization.lifecycle.forward import dequantize
from safetensors.torch import save_file
from transformers.integrations.finegrained_fp8 import _dequantize_fp8_weight

FOLDER = Path(__file__).resolve().parents[1] / "data" / "quantized"
OUT, IN = 144, 256


def codes(*shape, bits=4):
    return torch.randint(0, 2**bits, shape, dtype=torch.int32)


def scales(dtype, *shape):
    return (torch.rand(shape) * 0.01 + 0.001).to(dtype)


def words(values, dim, bits=4):
    """Neighbouring values along a dimension in 32 bits, the first lowest."""
    values = values.unflatten(dim, (-1, 32 // bits)).movedim(dim % values.dim() + 1, -1)
    shifted = values.to(torch.int64) << torch.arange(0, 32, bits)
    return shifted.sum(-1).to(torch.uint32).view(torch.int32)


def gptq(group, dtype, version, bits=4):
    """weights = scales[g_idx] * (codes - zeros[g_idx]); the first version stores zeros - 1. In eight bits zeros are 128,
    as symmetric quantisation makes them.
    """
    q, s = codes(IN, OUT, bits=bits), scales(dtype, IN // group, OUT)
    z = torch.randint(1, 16, (IN // group, OUT), dtype=torch.int32) if bits == 4 else torch.full((IN // group, OUT), 128)
    g_idx = (torch.arange(IN) // group).to(torch.int32)
    expected = s[g_idx] * (q - z[g_idx])
    stored = z - int(version == "gptq")
    tensors = dict(qweight=words(q, 0, bits), qzeros=words(stored, 1, bits), scales=s, g_idx=g_idx)
    return tensors, expected.T, dict(quant_method="gptq", bits=bits, group_size=group, checkpoint_format=version)


def awq(source):
    spec = importlib.util.spec_from_file_location("packing", next(Path(source).rglob("packing_utils.py")))
    packing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(packing)
    group = 64
    random = torch.iinfo(torch.int32)
    tensors = {name: torch.randint(random.min, random.max, shape, dtype=torch.int32)
               for name, shape in (("qweight", (IN, OUT // 8)), ("qzeros", (IN // group, OUT // 8)))}
    tensors["scales"] = scales(torch.float16, IN // group, OUT)
    expected = packing.dequantize_gemm(tensors["qweight"], tensors["qzeros"], tensors["scales"], 4, group)
    return tensors, expected.T, dict(quant_method="awq", bits=4, group_size=group, version="gemm")


def compressed(bits, group, dtype, is_packed=True, has_zeros=False):
    strategy = dict(strategy="group", group_size=group) if group else dict(strategy="channel")
    args = QuantizationArgs(num_bits=bits, symmetric=not has_zeros, **strategy)
    q = torch.randint(-(2 ** (bits - 1)), 2 ** (bits - 1), (OUT, IN), dtype=torch.int8)
    s = scales(dtype, OUT, IN // group if group else 1)
    z = torch.randint(-8, 8, s.shape, dtype=torch.int8) if has_zeros else None
    tensors = dict(weight_scale=s)
    if is_packed:
        tensors |= dict(weight_packed=pack_to_int32(q, bits), weight_shape=torch.tensor([OUT, IN]))
    else:
        tensors["weight"] = q
    if has_zeros:
        tensors["weight_zero_point"] = pack_to_int32(z, bits, packed_dim=0)
    scheme = dict(num_bits=bits, type="int", symmetric=not has_zeros, **strategy)
    config = dict(quant_method="compressed-tensors", format="pack-quantized" if is_packed else "int-quantized",
                  config_groups=dict(group_0=dict(weights=scheme)))
    return tensors, dequantize(q, s, z, args), config


def fp8(name, block, config):
    weight = torch.randint(0, 255, (OUT, IN), dtype=torch.uint8)
    weight[(weight & 127) == 127] = 0  # NaN
    weight = weight.view(torch.float8_e4m3fn)
    rows, columns = block if block else (1, IN)
    s = scales(torch.float32, -(-OUT // rows), -(-IN // columns))
    expected = _dequantize_fp8_weight(weight, s, [rows, columns], torch.float32)
    return {"weight": weight, name: s}, expected, config


def nf4(is_nested):
    weight = torch.randn(OUT, IN).to(torch.bfloat16)
    packed, state = bnb.quantize_4bit(weight, quant_type="nf4", compress_statistics=is_nested)
    state.dtype = torch.float32
    expected = bnb.dequantize_4bit(packed, state)
    tensors = {"weight": packed} | {f"weight.{k}": v for k, v in state.as_dict(packed=True).items()}
    return tensors, expected, dict(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_quant_type="nf4")


def int8_rows():
    weight = torch.randint(-127, 128, (OUT, IN), dtype=torch.int8)
    s = torch.rand(OUT) + 0.1
    expected = bnb.int8_vectorwise_dequant(weight, s)
    return dict(weight=weight, SCB=s), expected, dict(quant_method="bitsandbytes", load_in_8bit=True)


def main():
    torch.manual_seed(5)
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = dict(quant_method="compressed-tensors", format="float-quantized",
                config_groups=dict(group_0=dict(weights=dict(num_bits=8, type="float", strategy="channel"))))
    blocks = dict(quant_method="fp8", fmt="e4m3", weight_block_size=[128, 128])
    cases = dict(
        gptq=gptq(128, torch.float16, "gptq"), gptq_v2=gptq(64, torch.bfloat16, "gptq_v2"),
        awq=awq(sys.argv[1]), int4=compressed(4, 128, torch.bfloat16),
        int4_zeros=compressed(4, 32, torch.float16, has_zeros=True), int8_packed=compressed(8, 128, torch.bfloat16),
        int8=compressed(8, None, torch.bfloat16, is_packed=False), fp8_rows=fp8("weight_scale", None, rows),
        fp8_blocks=fp8("weight_scale_inv", (128, 128), blocks), nf4=nf4(False), nf4_nested=nf4(True), bnb_int8=int8_rows(),
        gptq_8bit=gptq(128, torch.float16, "gptq", bits=8), gptq_8bit_v2=gptq(256, torch.bfloat16, "gptq_v2", bits=8),
    )
    for name, (tensors, expected, config) in cases.items():
        tensors = {f"l.{key}": value.contiguous() for key, value in tensors.items()}
        save_file({**tensors, "expected": expected.contiguous()}, FOLDER / f"{name}.safetensors")
        (FOLDER / f"{name}.json").write_text(json.dumps(config) + "\n")
        print(name, expected.dtype, {key: (value.dtype, tuple(value.shape)) for key, value in tensors.items()})


if __name__ == "__main__":
    main()
