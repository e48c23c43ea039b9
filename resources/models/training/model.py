"""A compact Llama in PyTorch, with the weight names of Hugging Face so that export is a plain copy.

Shapes: T tokens, H heads, Hkv key/value heads, D head_dim, C hidden, F intermediate, V vocabulary.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """The shape of a Llama decoder."""

    vocab_size: int = 4096
    hidden_size: int = 384
    intermediate_size: int = 1024
    num_layers: int = 6
    num_heads: int = 6
    num_kv_heads: int = 2
    head_dim: int = 64
    max_positions: int = 2048
    rope_theta: float = 10000.0
    rms_eps: float = 1e-5


SHAPES = {
    "mini": Config(),
    "draft": Config(hidden_size=128, intermediate_size=384, num_layers=3, num_heads=2, num_kv_heads=1),
}


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight (arXiv:1910.07467, eq. 4)."""

    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * self.weight).to(x.dtype)


def rope_tables(config, device=None):
    """cos and sin, (max_positions, D), in the half-split layout of Hugging Face Llama."""
    inverse = 1.0 / config.rope_theta ** (torch.arange(0, config.head_dim, 2).float() / config.head_dim)
    angles = torch.outer(torch.arange(config.max_positions).float(), inverse)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos().to(device), angles.sin().to(device)


def rotate(x, cos, sin):
    """Rotary position embedding (arXiv:2104.09864); x: (B, H, T, D)."""
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos + turned * sin


class Attention(nn.Module):
    """Grouped-query causal attention."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.q_proj = nn.Linear(c.hidden_size, c.num_heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, c.num_kv_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, c.num_kv_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(c.num_heads * c.head_dim, c.hidden_size, bias=False)

    def forward(self, x, cos, sin, mask, cache=None):
        """x: (B, T, C); mask: (B, 1, T, S), 0 where a query sees a key and -inf where it does not.

        The query heads of one key/value head are stacked, so that no key is copied; written out by hand because
        it is twice as fast as the fused attention of PyTorch's CPU backend in training.
        """
        c, (batch, length, _) = self.c, x.shape

        def split(y, heads):
            return y.view(batch, length, heads, c.head_dim).transpose(1, 2)

        q = rotate(split(self.q_proj(x), c.num_heads), cos, sin) * c.head_dim**-0.5
        k = rotate(split(self.k_proj(x), c.num_kv_heads), cos, sin)
        v = split(self.v_proj(x), c.num_kv_heads)
        if cache is not None:
            k, v = cache.append(self, k, v)
        group = c.num_heads // c.num_kv_heads
        q = q.reshape(batch, c.num_kv_heads, group * length, c.head_dim)
        scores = (q @ k.transpose(-1, -2)).view(batch, c.num_heads, length, -1).float() + mask
        weights = scores.softmax(-1).to(x.dtype).view(batch, c.num_kv_heads, group * length, -1)
        out = (weights @ v).view(batch, c.num_heads, length, c.head_dim)
        return self.o_proj(out.transpose(1, 2).reshape(batch, length, -1))


class MLP(nn.Module):
    """SwiGLU: down(silu(gate(x)) * up(x))."""

    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """One pre-norm decoder layer."""

    def __init__(self, c):
        super().__init__()
        self.input_layernorm = RMSNorm(c.hidden_size, c.rms_eps)
        self.self_attn = Attention(c)
        self.post_attention_layernorm = RMSNorm(c.hidden_size, c.rms_eps)
        self.mlp = MLP(c)

    def forward(self, x, cos, sin, mask, cache=None):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask, cache)
        return x + self.mlp(self.post_attention_layernorm(x))


def causal_mask(length, start=0, documents=None):
    """(1 or B, 1, T, S) f32: 0 for the past of the same document, a large negative number elsewhere."""
    visible = torch.ones(length, start + length, dtype=torch.bool).tril(start)[None, None]
    if documents is not None:
        visible = visible & (documents[:, None, :, None] == documents[:, None, None, :])
    return torch.where(visible, 0.0, -1e9)


class Llama(nn.Module):
    """The decoder; the output layer is the transposed embedding (tied)."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_layers))
        self.norm = RMSNorm(c.hidden_size, c.rms_eps)
        cos, sin = rope_tables(c)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._initialise()

    def _initialise(self):
        deep = (2 * self.c.num_layers) ** -0.5
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                scale = 0.02 * (deep if "o_proj" in name or "down_proj" in name else 1.0)
                nn.init.normal_(parameter, std=scale)

    def hidden(self, ids, documents=None, start=0, cache=None, padding=None):
        """ids: (B, T) -> normalised hidden states (B, T, C); a token sees only its own document (B, T).

        In generation, the first padding (B) positions of a row are blanks that nobody sees.
        """
        x = self.embed_tokens(ids)
        if torch.is_autocast_enabled("cpu"):
            x = x.bfloat16()
        length = ids.shape[1]
        cos, sin = self.cos[start:start + length].to(x.dtype), self.sin[start:start + length].to(x.dtype)
        mask = causal_mask(length, start, documents)
        if padding is not None:
            mask = mask.masked_fill(torch.arange(start + length) < padding[:, None, None, None], -1e9)
        for layer in self.layers:
            x = layer(x, cos, sin, mask, cache)
        return self.norm(x)

    def logits(self, hidden):
        return F.linear(hidden, self.embed_tokens.weight)

    def forward(self, ids):
        return self.logits(self.hidden(ids))


class Cache:
    """Keys and values of what was read so far, (B, Hkv, T, D) a layer."""

    def __init__(self):
        self.store = {}

    def append(self, layer, k, v):
        if layer in self.store:
            old_k, old_v = self.store[layer]
            k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
        self.store[layer] = (k, v)
        return k, v

    def keep_rows(self, rows):
        """Forget the sequences that have ended."""
        self.store = {layer: (k[rows], v[rows]) for layer, (k, v) in self.store.items()}
