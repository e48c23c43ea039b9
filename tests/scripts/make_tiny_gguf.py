#!/usr/bin/env python3
"""Writes tests/data/gguf: tiny GGUF files as llama.cpp's converter makes them, and blocks of every type.

Needs torch, transformers 5, sentencepiece, gguf and, for the converted files, a llama.cpp source tree (the one
with convert_hf_to_gguf.py and its folder conversion/; it is also inside llama-cpp-python's source package).
Run from the repository's root: python3 tests/scripts/make_tiny_gguf.py [--llama-cpp <tree>] [name...]
Without --llama-cpp only the quantised models (tiny_gguf_quant.py) are written. Every file is read back, put into
transformers and compared with its reference (tiny_gguf_check.py). cases.json names each file's reference: that of
the folder of tests/data/models it came from, or its own.
"""

# What the converter (of llama-cpp-python 0.3.36) really does to these architectures; "llama.cpp" is what its
# loader makes of a file (src/models/, src/llama-model.cpp, src/llama-context.cpp of the same package).
#
# Values
#   Matrices have the asked-for type. Whatever has one dimension (norms, biases, attn_sinks), every *.bias (also
#   (experts, rows)) and ffn_gate_inp.weight is F32. token_embd and output may be quantised like any matrix.
#   Q and K rows, biases too, are permuted for llama (also Mistral and Mixtral), granite and smollm3: halves become
#   adjacent pairs. Not permuted, rotate halves: qwen2, qwen3, qwen3moe, gemma2, gemma3, phi3, olmo2, gpt-oss.
#   gemma2 and gemma3: each tensor whose name ends in norm.weight has 1 added, in F32; q and k norms too.
#   rope_freqs.weight (rotary_dim / 2, llama3 scaling only) are divisors of the frequencies; such a file has no
#   rope.scaling.* key at all. rope_factors_long.weight and rope_factors_short.weight (phi3) are divisors too.
#   Experts: ffn_{gate,up,down}_exps.weight have ne (in, out, experts); the router is ffn_gate_inp.
#   gpt-oss: the interleaved gate_up rows are parted, even ones gate, odd ones up, also in biases; MXFP4 blocks are
#   repacked from adjacent nibbles to halves: byte j holds elements j and j + 16, the scale byte comes first.
#   phi3: attn_qkv rows are q, k, v; ffn_up rows are gate, then up (its feed_forward_length is half of them).
# Names that are not what one expects
#   gpt-oss: post_attention_norm is the norm before the experts; attn_sinks.weight; no ffn_norm.
#   olmo2: post_attention_norm, post_ffw_norm, no attn_norm or ffn_norm; attn_q_norm and attn_k_norm have a whole
#   token's width. gemma2, gemma3: attn_norm, post_attention_norm, ffn_norm (before the MLP), post_ffw_norm.
#   No output.weight: token_embd is the output too, whatever the architecture.
# Keys ({a} is general.architecture)
#   All: {a}.block_count context_length embedding_length feed_forward_length attention.head_count
#   attention.head_count_kv attention.layer_norm_rms_epsilon; general.file_type, general.quantization_version;
#   general.sampling.{temp,top_k,top_p} where generation_config.json has them (end tokens of it are not written).
#   rope.freq_base: all but gemma2 (10000 there). attention.key_length and value_length: where config.json says
#   head_dim, else head_dim is embedding_length / head_count (phi3, olmo2, granite, smollm3, qwen2).
#   vocab_size and rope.dimension_count: llama, granite, smollm3; dimension_count alone: phi3 (12 of 16 for
#   partial_rotary_factor 0.75).
#   rope.scaling: type linear with factor (also gemma3, where it is for the global layers alone); type yarn with
#   factor, original_context_length and, if config.json has them, yarn_beta_fast, yarn_beta_slow, yarn_attn_factor.
#   mscale, mscale_all_dim and truncate are not written. llama.cpp multiplies cosines and sines with
#   0.1 ln(factor) + 1 whatever yarn_attn_factor says, and always truncates the ramp; gpt-oss's reference does not.
#   phi3: rope.scaling.original_context_length always; rope.scaling.attn_factor (what cosines and sines are
#   multiplied with) only beside factor tensors; no rope.scaling.type. llama.cpp takes the long factors if the
#   context it serves is longer than the original one. attention.sliding_window: 0 for none; llama.cpp ignores it
#   for phi3, transformers does not, nor do these references.
#   gemma2: attn_logit_softcapping, final_logit_softcapping, attention.sliding_window; layers alternate, the first
#   is local. gemma3: attention.sliding_window, rope.freq_base_swa (local layers; older files lack it: 10000);
#   every sixth layer is global. No key says so (attention.sliding_window_pattern may, and overrides). Nor is there
#   one for query_pre_attn_scalar: it is head_dim, but embedding_length / head_count in both families' 27B
#   (46 and 62 layers).
#   granite: attention.scale embedding_scale residual_scale logit_scale (logits are divided by the last).
#   smollm3: nothing says which layers have no rotation: every fourth (3, 7, ...).
#   llama with experts, qwen3moe, gpt-oss: expert_count, expert_used_count; the last two expert_feed_forward_length.
#   Nothing says whether chosen experts' weights are made to add up to 1: they are, for all three.
#   gpt-oss: attention.sliding_window; layers alternate, the first is local. swiglu's 1.702 and 7 are not written.
#   Sliding windows of qwen2, Mistral and starcoder2 are not written.
#   attention.layer_norm_epsilon: cohere2, gpt2, gptneox, phi2, stablelm, starcoder2 (cohere2 and starcoder2 also have
#   RMSNorm's). rope.freq_base is not written for gptneox, phi2 and stablelm.
#   Adjacent pairs rotate in cohere2, ernie4_5, ernie4_5-moe and glm4 as in their folders, and in granitemoe and
#   muse-glimmer by permuted rows. muse-glimmer: attn_q_norm is made up and holds qk_scale_factor, attn_k_norm is ones;
#   layers without a window do not rotate. The same in cohere2, and in exaone4 where there is a window.
#   seed_oss and glm4moe: post_attention_norm is the norm before the MLP. glm4: ffn_up is gate, then up.
#   gptneox: attn_qkv rows are q, k, v. gpt2: matrices are transposed to (out, in).
#   glm4moe: block_count includes nextn_predict_layers; expert_gating_func 2 (sigmoids), expert_weights_scale,
#   expert_weights_norm, expert_group_count, expert_group_used_count, leading_dense_block_count, expert_shared_count.
#   ernie4_5-moe: leading_dense_block_count, interleave_moe_layer_step, expert_shared_count; exp_probs_b is (1, experts).
#   olmo3 is olmo2 with attention.sliding_window and its pattern; only layers without a window have YaRN's scaling.
#   qwen35, qwen35moe, qwen3next: ssm.conv_kernel, ssm.state_size (a key's size), ssm.group_count (heads of keys),
#   ssm.time_step_rank (of values), ssm.inner_size (all values of a token); attention.recurrent_layers (bools, also for
#   the nextn_predict_layers in block_count) and full_attention_interval, which is 4 whatever the list says.
#   rope.dimension_sections; llama.cpp gives a text's tokens equal positions in all. post_attention_norm is the norm
#   before the MLP; norms but ssm_norm have 1 added; ssm_a is -exp(A_log); ssm_conv1d (channels, taps). With fewer
#   heads of keys than of values, qwen35 and qwen35moe have value heads in tiled order (head h of key h % keys): rows of
#   attn_qkv's values, attn_gate, ssm_alpha, ssm_beta and ssm_conv1d, elements of ssm_a and ssm_dt.bias, columns of
#   ssm_out. qwen3next does not; its ssm_ba stays head of keys by head of keys (so did ssm_in in older files).
#   lfm2, lfm2moe, granitehybrid: attention.head_count_kv is a list with 0 for recurrent layers. shortconv.l_cache;
#   lfm2's feed_forward_length is adjusted; token_embd_norm is the last norm; lfm2moe: expert_gating_func 2.
#   granitehybrid: ssm.* as above for Mamba 2; ssm_a and ssm_d (heads, 1), ssm_norm (groups, inner / groups);
#   rope.scaling.finetuned false: no layer rotates, but Q and K are permuted; context_length is always 2^20;
#   expert_shared_feed_forward_length is the width of ffn_*_shexp or, without experts, of ffn_gate, ffn_up and ffn_down.
#   nemotron_h, nemotron_h_moe: feed_forward_length is a list, too, and layers with 0 in both are recurrent; the epsilon
#   may be attention.layer_norm_epsilon; rope.dimension_count is embedding_length / head_count, but no layer rotates;
#   context_length is 2^20. nemotron_h_moe: moe_latent_size, no expert_gating_func (sigmoids); its block for speculation
#   has attention and experts.
#   apertus: xielu.{alpha_p,alpha_n,beta,eps}, without the architecture's prefix, are lists by layer. hunyuan-dense, hunyuan-moe:
#   rope.freq_base holds the stretch of `alpha`. hy_v3: exp_probs_b has no ".bias". llama4: feed_forward_length is that of
#   plain MLPs, expert_feed_forward_length that of experts; the size of chunks, the layers without rotation, temperatures and
#   whether queries are normed are not written. mistral4: as deepseek2, without attention.temperature_scale, which mistral3 has.
#   Splits: <name>-00001-of-00003.gguf; split.no u16 from 0, split.count u16, split.tensors.count i32 (of all files);
#   only the first has the other keys.

import argparse
import json
import pathlib
import shutil
import struct
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

import tiny_gguf_quant
from tiny_configs import MODELS
from tiny_gguf_cases import CASES
from tiny_gguf_check import load_into
from tiny_reference import find_unambiguous, logits_of, make_model, serve_context
from tiny_vocabulary import SIZE, write_vocabulary

ROOT = pathlib.Path("tests/data/gguf")
MODELS_ROOT = pathlib.Path("tests/data/models")


def origin(seed):
    return dict(origin="make_tiny_gguf.py", seed=str(seed), torch=torch.__version__,
                transformers=transformers.__version__)


def change_tensors(without, added, folder):
    path = folder / "model.safetensors"
    kept = {name: tensor for name, tensor in load_file(path).items() if name not in without}
    zeros = {name: torch.zeros(shape, dtype=torch.bfloat16) for name, shape in added.items()}
    save_file(kept | zeros, path, metadata={"format": "pt"})


def change_config(fields, folder):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@torch.no_grad()
def make_q8_0_model(options, seed):
    """A model whose matrices are values that blocks of Q8_0 hold, so that the converter rounds nothing."""
    import gguf
    kind = gguf.GGMLQuantizationType.Q8_0
    model, dtype = make_model(options, seed)
    for weight in model.parameters():
        if weight.dim() != 2 or weight.shape[1] % 32 != 0:
            continue
        blocks = gguf.quants.quantize(weight.numpy(), kind)
        weight.copy_(torch.from_numpy(gguf.quants.dequantize(blocks, kind)))
    return model, dtype


def prepare_folder(name, case, folder):
    """A folder to convert in `folder`; the path of its reference, relative to tests/data."""
    if "options" not in case:
        shutil.copytree(MODELS_ROOT / case["folder"], folder, dirs_exist_ok=True)
        reference = f"models/{case['folder']}/reference.safetensors"
    else:
        options = {**MODELS[case["folder"]], **case["options"]}
        maker = make_q8_0_model if case.get("type") == "q8_0" else make_model
        seed, model, dtype, tensors = find_unambiguous(name, options, maker)
        model.to(dtype).save_pretrained(folder)
        save_file(tensors, ROOT / f"{name}.reference.safetensors", metadata=origin(seed))
        reference = f"gguf/{name}.reference.safetensors"
    if "without" in case or "added" in case:
        change_tensors(case.get("without", []), case.get("added", {}), folder)
    change_config(case.get("config", {}), folder)
    # The converter counts a vocabulary's entries to cut embeddings to size.
    entries = {"model": {"vocab": {f"t{i}": i for i in range(SIZE)}}, "added_tokens": []}
    (folder / "tokenizer.json").write_text(json.dumps(entries))
    return reference


def convert(name, case, folder):
    """Runs llama.cpp's converter with a vocabulary of ours; the architecture's name in GGUF."""
    import conversion
    import gguf
    types = dict(f32="ALL_F32", f16="MOSTLY_F16", bf16="MOSTLY_BF16", q8_0="MOSTLY_Q8_0")
    file_type = getattr(gguf.LlamaFileType, types[case.get("type", "bf16")])
    # Where transformers adds fields that change the architecture, the converter gets the folder's own.
    own = json.loads((folder / "config.json").read_text())
    hparams = own if case.get("own_fields") else conversion.ModelBase.load_hparams(folder, False)
    architecture = conversion.get_model_architecture(hparams, conversion.ModelType.TEXT)
    base = conversion.get_model_class(architecture, mmproj=False)
    if architecture == "Mistral3ForConditionalGeneration":  # Hands all over to one of these.
        is_mistral4 = hparams["text_config"]["model_type"] == "mistral4"
        base = base.Mistral4Model if is_mistral4 else base.Ministral3Model

    class Model(base):
        model_arch = base.model_arch
        no_mtp = case.get("no_mtp", False)

        def set_vocab(self):
            write_vocabulary(self.gguf_writer, case["vocabulary"], case.get("template", False))

        def generate_extra_tensors(self):
            yield from super().generate_extra_tensors()
            yield from ((name, torch.zeros(shape)) for name, shape in case.get("zeros", {}).items())

    with torch.inference_mode():
        model = Model(folder, file_type, ROOT / f"{name}.gguf", model_name=f"tiny {name}",
                      split_max_tensors=case.get("split_max_tensors", 0),
                      **(dict(hparams=own) if case.get("own_fields") else {}))
        model.hparams.update(case.get("fields", {}))
        model.write()
    return gguf.MODEL_ARCH_NAMES[base.model_arch]


def files_of(name):
    return sorted(ROOT.glob(f"{name}-?????-of-?????.gguf")) or [ROOT / f"{name}.gguf"]


def check(name, options, architecture, reference_path):
    """Whether the file's tensors, put back into transformers, compute the reference."""
    reference = load_file(reference_path)
    model = load_into(make_model(options, seed=12345)[0], files_of(name), architecture)
    if "served_context" in reference:
        serve_context(model, reference["served_context"].item())
    for key in [key for key in reference if key.endswith(".logits")]:
        logits = logits_of(model, reference[key.replace(".logits", ".tokens")].long())
        error = ((logits - reference[key]).abs().max() / reference[key].abs().max()).item()
        if error > 2e-6:
            raise SystemExit(f"{name}: {key} differs by {error:.2e}")
    print(f"{name}: transformers agrees")


def write_converted(name, case):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / name
        folder.mkdir()
        reference = prepare_folder(name, case, folder)
        architecture = convert(name, case, folder)
    options = {**MODELS[case["folder"]], **case.get("options", {})}
    if not case.get("unchecked"):
        check(name, options, architecture, ROOT.parent / reference)
    return dict(file=files_of(name)[0].name, architecture=architecture, reference=reference)


def write_quantised(name, case):
    options = tiny_gguf_quant.options_of(case)
    seed, model, _, reference = find_unambiguous(name, options, tiny_gguf_quant.maker(case))
    tiny_gguf_quant.write_gguf(ROOT / f"{name}.gguf", case, model)
    path = ROOT / f"{name}.reference.safetensors"
    save_file(reference, path, metadata=origin(seed))
    check(name, options, "llama", path)
    return dict(file=f"{name}.gguf", architecture="llama", reference=f"gguf/{path.name}")


def write_version_2(source, name):
    """Versions 2 and 3 differ in nothing but the number, for little-endian files."""
    data = bytearray((ROOT / source["file"]).read_bytes())
    struct.pack_into("<I", data, 4, 2)
    (ROOT / f"{name}.gguf").write_bytes(data)
    return dict(source, file=f"{name}.gguf")


def write_cases(written):
    """cases.json: paths of references are relative to tests/data."""
    path = ROOT / "cases.json"
    entries = json.loads(path.read_text())["cases"] if path.exists() else []
    entries = {entry["file"]: entry for entry in entries + written}
    note = "Weights are held exactly: logits in float32 agree to 1e-5 of the largest one, whatever the type."
    path.write_text(json.dumps({"tolerance": note, "cases": [entries[key] for key in sorted(entries)]}, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--llama-cpp", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.llama_cpp:
        sys.path[:0] = [str(arguments.llama_cpp / "gguf-py"), str(arguments.llama_cpp)]
    torch.set_num_threads(1)
    wanted = lambda name: not arguments.names or name in arguments.names
    converted = CASES.items() if arguments.llama_cpp else []
    written = [write_converted(name, case) for name, case in converted if wanted(name)]
    written += [write_quantised(name, case) for name, case in tiny_gguf_quant.cases().items() if wanted(name)]
    written += [write_version_2(entry, "version_2") for entry in written if entry["file"] == "rope_linear.gguf"]
    write_cases(written)


if __name__ == "__main__":
    main()
