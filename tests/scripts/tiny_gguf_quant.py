"""Tiny llama models whose matrices are blocks of one GGUF type each, and what transformers computes with the
values that gguf.quants.dequantize gives for them.

Where the gguf package can quantise, blocks are quantised weights. Of the others it only knows how to read blocks:
there the bytes are random and the scales such that the values' standard deviation is about STD.
"""

import numpy
import torch

from tiny_gguf_check import transformers_state
from tiny_reference import make_model
from tiny_vocabulary import SIZE, write_vocabulary

STD = 0.08
QUANTISED = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "MXFP4"]
# Bytes of a block where its f16 scales stand: d, and dmin where there is one; what dmin is to d, on average,
# for values around zero.
SCALES = {
    "Q2_K": dict(d=80, dmin=82, ratio=1.5), "Q3_K": dict(d=108), "Q4_K": dict(d=0, dmin=2, ratio=7.5),
    "Q5_K": dict(d=0, dmin=2, ratio=15.5), "Q6_K": dict(d=208), "IQ4_NL": dict(d=0), "IQ4_XS": dict(d=0),
}
# As SCALES, of types that come in mixtures only. IQ1_M's half is in the upper four bits of every second byte.
MORE_SCALES = {
    "IQ2_XXS": dict(d=0), "IQ2_XS": dict(d=0), "IQ2_S": dict(d=0), "IQ3_XXS": dict(d=0), "IQ3_S": dict(d=0),
    "IQ1_S": dict(d=0), "IQ1_M": dict(nibbles=49), "TQ1_0": dict(d=52), "TQ2_0": dict(d=64),
}
SMALL = dict(hidden_size=96, intermediate_size=96, num_hidden_layers=2, num_attention_heads=3,
             num_key_value_heads=1, head_dim=32)
WIDE = dict(hidden_size=256, intermediate_size=256, num_hidden_layers=1, num_attention_heads=4,
            num_key_value_heads=1, head_dim=64)
OPTIONS = dict(tie_word_embeddings=True, varied=True, initializer_range=STD, prompts=[1, 33])

# general.file_type's names, where they are not the block's.
FILE_TYPES = {"MXFP4": "MXFP4_MOE", "Q3_K": "Q3_K_M", "Q4_K": "Q4_K_S", "Q5_K": "Q5_K_S"}

# What llama-quantize calls Q4_K_M mixes two types so.
MIXED = {"attn_v": "Q6_K", "ffn_down": "Q6_K", "token_embd": "Q6_K"}
# Each of the types below four bits once at least.
THREE_BITS = {"attn_q": "IQ3_XXS", "attn_k": "IQ2_XS", "attn_v": "Q4_K", "ffn_gate": "IQ2_XXS", "ffn_down": "IQ2_S"}
ONE_BIT = {"attn_q": "IQ1_M", "attn_v": "NVFP4", "attn_output": "TQ1_0", "ffn_gate": "TQ2_0"}


def cases():
    types = QUANTISED + list(SCALES)
    out = {f"quant_{kind.lower()}": dict(type=kind) for kind in types}
    return {
        **out, "quant_q4_k_m": dict(type="Q4_K", others=MIXED, file_type="Q4_K_M"),
        "quant_iq3_m": dict(type="IQ3_S", others=THREE_BITS, file_type="IQ3_M"),
        "quant_iq1_m": dict(type="IQ1_S", others=ONE_BIT, file_type="IQ1_M"),
    }


def options_of(case):
    wide = case["type"].endswith("_K") or case["type"][:2] == "IQ" and case["type"] != "IQ4_NL"
    return {**(WIDE if wide else SMALL), **OPTIONS}


def random_blocks(kind, count, generator):
    """(count, bytes of a block) u8."""
    import gguf
    _, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    blocks = generator.integers(0, 256, (count, size), dtype=numpy.uint8)
    if kind == "NVFP4":
        blocks[:, :4] = generator.integers(8, 16, (count, 4))  # E4M3 from 2^-6 on.
        return blocks
    places = {**SCALES, **MORE_SCALES}[kind]
    unit = generator.uniform(0.5, 1.5, count)
    if "dmin" not in places:
        unit *= generator.choice([-1.0, 1.0], count)
    set_scales(blocks, places, unit)
    values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[kind])
    set_scales(blocks, places, unit * STD / values.std())
    return blocks


def set_scales(blocks, places, d):
    for key, scale in (("d", d), ("dmin", d * places.get("ratio", 0.0))):
        if key in places:
            at = places[key]
            blocks[:, at:at + 2] = scale.astype(numpy.float16)[:, None].view(numpy.uint8)
    if "nibbles" in places:
        bits = d.astype(numpy.float16).view(numpy.uint16)
        for i in range(4):
            byte = blocks[:, places["nibbles"] + 2 * i]
            byte[:] = (byte & 15) | (bits >> (4 * i) & 15) << 4


def make_blocks(kind, weight, generator):
    """`weight` (rows, columns) f32 in the type's blocks: (rows, bytes) u8."""
    import gguf
    if kind in QUANTISED:
        return gguf.quants.quantize(weight, gguf.GGMLQuantizationType[kind])
    elements, _ = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    return random_blocks(kind, weight.size // elements, generator).reshape(weight.shape[0], -1)


def gguf_names(config):
    """GGUF's names of a tied llama model's tensors, and the shapes of the matrices; norms have none."""
    hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
    q, kv = config.num_attention_heads * head, config.num_key_value_heads * head
    layer = dict(attn_norm=None, ffn_norm=None, attn_q=(q, hidden), attn_k=(kv, hidden), attn_v=(kv, hidden),
                 attn_output=(hidden, q), ffn_gate=(inner, hidden), ffn_up=(inner, hidden), ffn_down=(hidden, inner))
    names = {"token_embd": (config.vocab_size, hidden), "output_norm": None}
    names.update({f"blk.{i}.{stem}": shape for i in range(config.num_hidden_layers) for stem, shape in layer.items()})
    return names


def make_tensors(case, config, seed):
    """{name: (bytes or f32 values, type, f32 values)} in GGUF's own order of rows."""
    import gguf
    generator, out = numpy.random.default_rng(seed), {}
    for name, shape in gguf_names(config).items():
        if shape is None:
            spread = 1.0 if name == "output_norm" else 0.2
            values = (generator.normal(0 if spread == 1.0 else 1, spread, config.hidden_size)).astype(numpy.float32)
            out[name + ".weight"] = (values, "F32", values)
            continue
        kind = case.get("others", {}).get(name.split(".")[-1], case["type"])
        weight = generator.normal(0, STD, shape).astype(numpy.float32)
        blocks = make_blocks(kind, weight, generator)
        values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[kind]).reshape(shape)
        out[name + ".weight"] = (blocks, kind, values)
    return out


def maker(case):
    """A make_model for tiny_reference: a float32 model of the values, which keeps `gguf_tensors` to be written."""
    def make(options, seed):
        model, dtype = make_model(options, seed)
        tensors = make_tensors(case, model.config, seed)
        values = {name: torch.from_numpy(numpy.array(entry[2])) for name, entry in tensors.items()}
        config = model.config
        state = transformers_state(values, "llama", config.num_attention_heads, config.num_key_value_heads)
        missing, unexpected = model.load_state_dict(state, strict=False)
        assert list(missing) == ["lm_head.weight"] and not unexpected
        model.gguf_tensors = tensors
        return model, dtype
    return make


def write_gguf(path, case, model):
    import gguf
    config = model.config
    assert config.vocab_size == SIZE
    writer = gguf.GGUFWriter(path, "llama")
    file_type = case.get("file_type", FILE_TYPES.get(case["type"], case["type"]))
    writer.add_name(f"tiny {file_type}")
    writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{file_type}"])
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    write_vocabulary(writer, "llama")
    for name, (data, kind, _) in model.gguf_tensors.items():
        writer.add_tensor(name, data, raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
