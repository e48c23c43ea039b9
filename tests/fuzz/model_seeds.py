"""Whole models of some kilobytes, which load and compute."""
import json
import struct

from file_builders import gguf_array, gguf_file, gguf_string, gguf_vocabulary, read, safetensors_file

# (number of ggml, elements and bytes of a block)
F32, F16, Q4_0, Q8_0, Q4_K, Q6_K = (0, 1, 4), (1, 1, 2), (2, 32, 18), (8, 32, 34), (12, 256, 144), (14, 256, 210)
ROWS = 8  # Of the vocabulary, and of two heads of four.


def tensor(name, dimensions, form=F32):
    kind, elements, size = form
    count = 1
    for n in dimensions:
        count *= n
    return name.encode(), dimensions, kind, b"\x2e" * (count // elements * size)  # 0.096 in f16, and small in all others.


def tensors(hidden, kv, ffn, form, down, more):
    yield tensor("token_embd.weight", (hidden, ROWS), form)
    yield tensor("output_norm.weight", (hidden,))
    yield tensor("output.weight", (hidden, ROWS), form)
    for name, dimensions, kind in (
            ("attn_norm", (hidden,), F32), ("attn_q", (hidden, ROWS), form), ("attn_k", (hidden, kv), form),
            ("attn_v", (hidden, kv), form), ("attn_output", (ROWS, hidden), form if form in (F32, F16) else F16),
            ("ffn_norm", (hidden,), F32), ("ffn_gate", (hidden, ffn), form), ("ffn_up", (hidden, ffn), form),
            ("ffn_down", (ffn, hidden), down or form)):
        yield tensor("blk.0.%s.weight" % name, dimensions, kind)
    for name, dimensions in more:
        yield tensor("blk.0." + name, dimensions)


def gguf_model(arch, hidden, ffn, form, down=None, kv_heads=1, more=(), **keys):
    """`keys`: further ones of the architecture, with two underscores for a dot."""
    integers = dict(block_count=1, context_length=64, embedding_length=hidden, feed_forward_length=ffn, attention__head_count=2,
                    attention__head_count_kv=kv_heads, attention__key_length=4, attention__value_length=4)
    values = [(b"general.architecture", 8, gguf_string(arch.encode()))]
    for name, value in {**integers, "attention__layer_norm_rms_epsilon": 1e-5, **keys}.items():
        key = "%s.%s" % (arch, name.replace("__", "."))
        is_real = isinstance(value, float)
        values.append((key.encode(), 6 if is_real else 4, struct.pack("<f" if is_real else "<I", value)))
    return gguf_file(values, list(tensors(hidden, 4 * kv_heads, ffn, form, down, more)))


def folder_model(config):
    """A folder of config.json and weights, as write_model() of model_files.h reads it."""
    config.update(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
                  head_dim=4, vocab_size=8, tie_word_embeddings=True)
    config.pop("layer_types", None)
    layer = {"input_layernorm": [8], "post_attention_layernorm": [8], "self_attn.q_proj": [8, 8], "self_attn.k_proj": [4, 8],
             "self_attn.v_proj": [4, 8], "self_attn.o_proj": [8, 8], "mlp.gate_proj": [8, 8], "mlp.up_proj": [8, 8],
             "mlp.down_proj": [8, 8]}
    if config["model_type"] == "qwen3":
        layer.update({"self_attn.q_norm": [4], "self_attn.k_norm": [4]})
    shapes = {"model.embed_tokens.weight": [8, 8], "model.norm.weight": [8]}
    shapes.update(("model.layers.0.%s.weight" % name, shape) for name, shape in layer.items())
    weights = [(name, "BF16", shape, 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)) for name, shape in shapes.items()]
    return [json.dumps(config).encode(), b"", b"", b"", safetensors_file(weights)]


def forward():
    norms = (("attn_q_norm.weight", (4,)), ("attn_k_norm.weight", (4,)))
    biases = (("attn_q.bias", (8,)), ("attn_k.bias", (4,)), ("attn_v.bias", (4,)))
    posts = (("post_attention_norm.weight", (8,)), ("post_ffw_norm.weight", (8,)))
    yield gguf_model("llama", 8, 8, F32)
    yield gguf_model("llama", 8, 16, F16, kv_heads=2, rope__freq_base=10000.0)
    yield gguf_model("llama", 32, 32, Q4_0)
    yield gguf_model("llama", 32, 32, Q8_0, rope__dimension_count=2)
    yield gguf_model("llama", 256, 8, Q4_K, F16)
    yield gguf_model("llama", 256, 8, Q6_K, F16)
    yield gguf_model("qwen2", 8, 8, F16, more=biases)
    yield gguf_model("qwen3", 8, 8, F16, more=norms)
    yield gguf_model("gemma2", 8, 8, F16, more=posts, attention__sliding_window=4, attn_logit_softcapping=50.0)
    yield gguf_model("gemma3", 8, 8, F16, more=posts + norms, attention__sliding_window=4)
    yield gguf_model("granite", 8, 8, F32, embedding_scale=12.0, residual_scale=0.2, logit_scale=8.0, attention__scale=0.1)
    yield gguf_model("smollm3", 8, 8, F16)
    for name in ("gqa_f32", "qwen3", "rope_yarn", "rope_llama3"):
        yield b"\0".join(folder_model(json.loads(read("tests/data/models/%s/config.json" % name))))


def whole(tokenizer_json):
    """With a vocabulary and a template."""
    tokens = ["<unk>", "<s>", "</s>", "\u2581", "a", "b", "ab"]
    template = b"{% for m in messages %}{{ m['content'] }}{% endfor %}"
    yield gguf_vocabulary("llama", tokens, [2, 3, 3, 1, 1, 1, 1], scores=gguf_array(6, "<f", [0.0] * len(tokens)),
                          chat_template=(8, gguf_string(template)))
    parts = folder_model(json.loads(read("tests/data/models/qwen3/config.json")))
    parts[1:4] = tokenizer_json, b'{"eos_token": "</s>", "add_bos_token": true}', template
    yield b"\0".join(parts)
