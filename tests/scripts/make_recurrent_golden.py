"""Makes tests/data/recurrent/golden.json: what transformers' reference functions of recurrent layers
make of random numbers.

Run from the repository's root: python3 tests/scripts/make_recurrent_golden.py
Made with transformers 5.23.0 and torch, from modeling_qwen3_5.py (causal convolution, gated delta
rule, gated norm), modeling_mamba2.py (chunked scan, its single step, group gated norm) and
modeling_nemotron_h.py (the scan with limits of dt). Rows are tokens; "after" is the state after the
last one.
"""

import json
import pathlib

import torch
from transformers.models.mamba2 import modeling_mamba2 as mamba2
from transformers.models.nemotron_h import modeling_nemotron_h as nemotron_h
from transformers.models.qwen3_5 import modeling_qwen3_5 as qwen3_5

ROWS = 11


def numbers(tensor):
    return [float(f"{x:.9g}") for x in tensor.detach().float().flatten().tolist()]


def case(operation, dims, **tensors):
    return {"operation": operation, "dims": dims, **{k: numbers(v) for k, v in tensors.items()}}


def convolution(channels, inputs, activation):
    x = torch.randn(1, channels, ROWS)
    weight, bias = torch.randn(channels, inputs), torch.randn(channels)
    before = torch.randn(1, channels, inputs - 1)
    state = before.clone()
    out = qwen3_5.causal_conv1d_update(x, state, weight, bias, activation)
    rows = {name: t[0].transpose(0, 1) for name, t in {"x": x, "before": before, "after": state, "out": out}.items()}
    return case("causal_conv", [channels, inputs, int(activation == "silu")], weight=weight, bias=bias, **rows)


def first_rows(channels, inputs):
    x = torch.randn(1, channels, ROWS)
    weight = torch.randn(channels, inputs)
    out = qwen3_5.causal_conv1d_fn(x, weight, None, "silu")
    return case("causal_conv", [channels, inputs, 1], weight=weight, x=x[0].T, out=out[0].T)


def delta_rule(key_heads, heads, key_dim, value_dim, has_state):
    q, k = torch.randn(1, ROWS, key_heads, key_dim), torch.randn(1, ROWS, key_heads, key_dim)
    v = torch.randn(1, ROWS, heads, value_dim)
    alpha, beta = torch.randn(1, ROWS, heads) * 4, torch.randn(1, ROWS, heads)
    a_log, dt_bias = torch.randn(heads), torch.randn(heads)
    alpha[0, 0, 0] = 25  # Beyond softplus's threshold.
    before = torch.randn(1, heads, key_dim, value_dim) if has_state else None
    g = -a_log.exp() * torch.nn.functional.softplus(alpha + dt_bias)
    out, after = qwen3_5.torch_recurrent_gated_delta_rule(
        q, k, v, g, beta.sigmoid(), before, output_final_state=True, use_qk_l2norm_in_kernel=True
    )
    states = {"before": before} if has_state else {}
    return case("gated_delta", [key_heads, heads, key_dim, value_dim], q=q, k=k, v=v, alpha=alpha, beta=beta,
                a=-a_log.exp(), dt_bias=dt_bias, out=out, after=after, **states)


def scan(module, prefix, groups, heads, dim, size, limits=None):
    x, dt = torch.randn(1, ROWS, heads, dim), torch.randn(1, ROWS, heads)
    b, c = torch.randn(1, ROWS, groups, size), torch.randn(1, ROWS, groups, size)
    a, dt_bias, d = -torch.randn(heads).exp(), torch.randn(heads), torch.randn(heads)
    chunked = getattr(module, prefix + "_chunk_scan")
    extra = {"dt_limit": limits} if limits else {}
    out, after = chunked(x, dt, a, b, c, chunk_size=4, D=d, dt_bias=dt_bias, dt_softplus=True,
                         return_final_states=True, **extra)
    limits = {"limits": torch.tensor(limits)} if limits else {}
    return case("mamba2_scan", [groups, heads, dim, size], x=x, b=b, c=c, dt=dt, a=a, dt_bias=dt_bias, d=d,
                out=out, after=after, **limits)


def scan_step(groups, heads, dim, size):
    x, dt = torch.randn(1, heads, dim), torch.randn(1, heads)
    b, c = torch.randn(1, groups, size), torch.randn(1, groups, size)
    a, dt_bias, d = -torch.randn(heads).exp(), torch.randn(heads), torch.randn(heads)
    before = torch.randn(1, heads, dim, size)
    state = before.clone()
    wide = [t[..., None].expand(-1, dim) for t in (dt_bias, d)]
    out = mamba2.mamba2_selective_state_update(
        state, x, dt[..., None].expand(-1, -1, dim), a[:, None, None].expand(-1, dim, size), b, c, wide[1],
        dt_bias=wide[0], dt_softplus=True,
    )
    return case("mamba2_scan", [groups, heads, dim, size], x=x, b=b, c=c, dt=dt, a=a, dt_bias=dt_bias, d=d,
                before=before, out=out, after=state)


def norm(module, width, group, gate_first):
    x, gate = torch.randn(ROWS, width) * 3, torch.randn(ROWS, width) * 3
    torch.nn.init.normal_(module.weight)
    return case("gated_norm", [width, group, int(gate_first)], x=x, gate=gate, weight=module.weight, out=module(x, gate))


def main():
    torch.manual_seed(23)
    cases = [
        convolution(6, 4, "silu"),
        convolution(5, 3, None),
        first_rows(3, 7),
        delta_rule(2, 4, 5, 3, has_state=True),
        delta_rule(2, 2, 7, 9, has_state=False),
        scan(mamba2, "mamba2", 2, 4, 3, 5),
        scan(nemotron_h, "mamba2", 1, 2, 5, 9, limits=(0.4, 1.2)),
        scan_step(2, 4, 3, 6),
        norm(qwen3_5.Qwen3_5RMSNormGated(9), 9, 9, gate_first=False),
        norm(mamba2.MambaRMSNormGated(12, 4), 12, 4, gate_first=True),
    ]
    path = pathlib.Path("tests/data/recurrent/golden.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[" + ",\n".join(json.dumps(c) for c in cases) + "]\n")


if __name__ == "__main__":
    main()
