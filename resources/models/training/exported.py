"""Load an exported folder back into the training-side model, in float32."""

import json
import pathlib

from safetensors.torch import load_file

from chat_format import ChatTokenizer
from model import Config, Llama


def load(folder):
    """(model, tokenizer) of an exported folder."""
    folder = pathlib.Path(folder)
    c = json.loads((folder / "config.json").read_text())
    model = Llama(Config(
        vocab_size=c["vocab_size"], hidden_size=c["hidden_size"], intermediate_size=c["intermediate_size"],
        num_layers=c["num_hidden_layers"], num_heads=c["num_attention_heads"], num_kv_heads=c["num_key_value_heads"],
        head_dim=c["head_dim"], max_positions=c["max_position_embeddings"], rope_theta=c["rope_theta"], rms_eps=c["rms_norm_eps"]))
    state = {name.removeprefix("model."): tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    model.load_state_dict(state)
    return model.eval(), ChatTokenizer(folder / "tokenizer.model")
