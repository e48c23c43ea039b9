"""Write a checkpoint as a Hugging Face Llama folder: `export.py --checkpoint F.pt --tokenizer T.model --out DIR`."""

import argparse
import json
import pathlib
import shutil

import torch
from safetensors.torch import save_file

from chat_format import BOS, EOS, TEMPLATE, ChatTokenizer


def hugging_face_names(state):
    """bf16 tensors under the names of LlamaForCausalLM; the tied output layer is left out, as Hugging Face does."""
    return {"model." + name: tensor.bfloat16().contiguous() for name, tensor in state.items()}


def config_json(c, tokenizer):
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": c.vocab_size,
        "hidden_size": c.hidden_size, "intermediate_size": c.intermediate_size, "num_hidden_layers": c.num_layers,
        "num_attention_heads": c.num_heads, "num_key_value_heads": c.num_kv_heads, "head_dim": c.head_dim,
        "max_position_embeddings": c.max_positions, "rope_theta": c.rope_theta, "rope_scaling": None,
        "rms_norm_eps": c.rms_eps, "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
        "tie_word_embeddings": True, "bos_token_id": tokenizer.bos, "eos_token_id": [tokenizer.eos, tokenizer.end],
        "torch_dtype": "bfloat16",
    }


def tokenizer_config_json(tokenizer, max_positions):
    special = [tokenizer.pieces.unk_id(), tokenizer.bos, tokenizer.eos, *tokenizer.role.values(), tokenizer.end]
    decoder = {str(i): {"content": tokenizer.pieces.id_to_piece(i), "lstrip": False, "normalized": False,
                        "rstrip": False, "single_word": False, "special": True} for i in sorted(special)}
    return {
        "tokenizer_class": "LlamaTokenizer", "legacy": False, "add_bos_token": True, "add_eos_token": False,
        "add_prefix_space": False, "bos_token": BOS, "eos_token": EOS, "unk_token": "<unk>", "clean_up_tokenization_spaces": False,
        "model_max_length": max_positions, "added_tokens_decoder": decoder, "chat_template": TEMPLATE,
    }


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=pathlib.Path, required=True)
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    state = torch.load(args.checkpoint, map_location="cpu", weights_only=False)
    tokenizer, c, out = ChatTokenizer(args.tokenizer), state["config"], args.out
    out.mkdir(parents=True, exist_ok=True)
    save_file(hugging_face_names(state["model"]), out / "model.safetensors", metadata={"format": "pt"})
    shutil.copyfile(args.tokenizer, out / "tokenizer.model")
    write_json(out / "config.json", config_json(c, tokenizer))
    write_json(out / "generation_config.json", {
        "bos_token_id": tokenizer.bos, "eos_token_id": [tokenizer.eos, tokenizer.end], "do_sample": True,
        "temperature": 0.4, "top_p": 0.9})
    write_json(out / "tokenizer_config.json", tokenizer_config_json(tokenizer, c.max_positions))
    write_json(out / "special_tokens_map.json", {"bos_token": BOS, "eos_token": EOS, "unk_token": "<unk>"})
    print(sum(t.numel() for t in state["model"].values()), "parameters,", state["tokens"], "tokens trained")


if __name__ == "__main__":
    main()
