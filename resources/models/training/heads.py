"""Heads that guess further tokens for the frozen model: an MTP layer, and Medusa heads.

Shapes: B rows, T tokens, C hidden, V vocabulary. h[p] is the model's last hidden state at slot p, after the final norm.
Guess n of slot p is a guess of the token at p + 1, made from h[p - 1 - n]: the model has computed up to that slot and
sampled t[p - n], and the n tokens after that one are earlier guesses. These are taken as right, because a guess after a
wrong one does not matter.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from model import Cache, Layer, RMSNorm


@dataclass
class Rows:
    """A batch and the frozen model's states of it: ids (B, T), documents (B, T), hidden (B, T, C)."""

    ids: torch.Tensor
    documents: torch.Tensor
    hidden: torch.Tensor


def shifted(x, steps=1):
    """x moved to later slots by `steps`, zeros in front; x: (B, T, ...)."""
    return torch.cat([torch.zeros_like(x[:, :steps]), x[:, :-steps]], 1)


def link_mask(documents, link):
    """(B, 1, T, (link + 1) T) f32 for the keys of link 0, 1, ... side by side.

    A chain that started at slot p - link sees the keys that the main steps wrote up to there (link 0), and of every
    later link the one key that the chain itself wrote.
    """
    slots = torch.arange(documents.shape[1])
    distance = slots[:, None] - slots
    seen = torch.stack([distance >= link] + [distance == link - n for n in range(1, link + 1)])
    same = documents[:, None, :, None] == documents[:, None, None, :]
    return torch.where(torch.cat([block & same for block in seen], -1), 0.0, -1e9)


class MtpLayer(nn.Module):
    """The MTP module of DeepSeek V3 (arXiv:2412.19437, section 2.2) around a Llama layer of the model's own shape.

    As in DeepSeek's own modeling code, vLLM and SGLang, h comes after the model's final norm. A further guess takes
    the module's own output after shared_head.norm for h, as in SGLang and newer versions of vLLM. The first slot of a
    document has no h before it and reads zeros.
    """

    def __init__(self, c):
        super().__init__()
        self.enorm, self.hnorm = RMSNorm(c.hidden_size, c.rms_eps), RMSNorm(c.hidden_size, c.rms_eps)
        self.eh_proj = nn.Linear(2 * c.hidden_size, c.hidden_size, bias=False)
        self.layer = Layer(c)
        self.shared_head_norm = RMSNorm(c.hidden_size, c.rms_eps)

    def start_from(self, model):
        """Initialise as the model's last layer, which reads the sum of both inputs."""
        self.layer.load_state_dict(model.layers[-1].state_dict())
        self.shared_head_norm.load_state_dict(model.norm.state_dict())
        with torch.no_grad():
            self.eh_proj.weight.copy_(torch.eye(self.eh_proj.out_features).repeat(1, 2))

    def features(self, model, rows, count):
        """Yield guess 0, 1, ... of every slot as hidden states (B, T, C)."""
        embedded = model.embed_tokens(rows.ids).to(rows.hidden.dtype)
        begins = rows.documents != shifted(rows.documents)
        hidden = shifted(rows.hidden).masked_fill(begins[..., None], 0.0)
        length = rows.ids.shape[1]
        cos, sin = model.cos[:length].to(hidden.dtype), model.sin[:length].to(hidden.dtype)
        cache = Cache()
        for link in range(count):
            x = self.eh_proj(torch.cat([self.enorm(embedded), self.hnorm(hidden)], -1))
            x = self.shared_head_norm(self.layer(x, cos, sin, link_mask(rows.documents, link), cache))
            yield x
            hidden = shifted(x)

    def logits(self, model, x, n):
        """x: (N, C) of any guess n -> (N, V)."""
        return model.logits(x)


class MedusaHeads(nn.Module):
    """Medusa heads (arXiv:2401.10774, section 2.1.1): head n guesses from h alone, x + silu(W x + b) and an output layer."""

    def __init__(self, c, count, own_output=True):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(c.hidden_size, c.hidden_size) for _ in range(count))
        # Optimizer trains parameters with "embed" in their name with AdamW, as it does the embedding these are copied from.
        self.unembed = nn.ModuleList(nn.Linear(c.hidden_size, c.vocab_size, bias=False) for _ in range(count))
        self.unembed.requires_grad_(own_output)

    def start_from(self, model):
        """Initialise as the model's own output layer."""
        with torch.no_grad():
            for block, output in zip(self.blocks, self.unembed):
                block.weight.zero_()
                block.bias.zero_()
                output.weight.copy_(model.embed_tokens.weight)

    def features(self, model, rows, count):
        """Yield guess 0, 1, ... of every slot as hidden states (B, T, C)."""
        for n, block in enumerate(self.blocks[:count]):
            x = shifted(rows.hidden, n + 1)
            yield x + F.silu(block(x))

    def logits(self, model, x, n):
        """x: (N, C) of head n -> (N, V)."""
        return self.unembed[n](x)
