"""The machine model beside figures that others published for their own engines.

No constant belongs to one figure. An engine is described by what its source says it launches; the constants of gpus.py and
kernels.py are those of Quire's predictions. Figures that disagree stay in the table, with what the model lacks.
"""
import dataclasses

import gpus
import kernels
import shapes

WITHIN = 0.15

# Engines that wait for each token: launch of the graph or kernel, logits over PCIe, the host's choice.
WAIT_US = 30


@dataclasses.dataclass(frozen=True)
class Figure:
    what: str
    gpu: str
    published: float
    unit: str           # "tokens/s", "ms", "us", or "times".
    predicted: float
    source: str
    lacks: str = ""     # Of the model, where the figure disagrees.

    @property
    def ratio(self):
        return self.predicted / self.published

    @property
    def agrees(self):
        return abs(self.ratio - 1) <= WITHIN


def stage_us(gpu):
    """What a kernel, or a stage between two barriers, that streams weights takes beside streaming."""
    return kernels.stream_us(gpu, 0)


def token_us(gpu, weight_bytes, key_bytes, layers, streams, others):
    """One row: `streams` kernels of a layer that read weights, and `others` on what the caches hold."""
    return (kernels.read_us(gpu, weight_bytes + key_bytes) + WAIT_US
            + layers * (streams * stage_us(gpu) + others * kernels.rows_us(gpu, 0)))


def calm(gpu, shape, weight_bytes, context=16):
    """One kernel for a token, five barriers of the grid a layer: four stages read weights, one is attention."""
    weights = shape.weights_of_a_token() * weight_bytes
    return 1e6 / token_us(gpu, weights, context * shape.key_bytes(), shape.layers, streams=4, others=1)


# Kernels of a layer that read no weights, in llama.cpp with flash attention and CUDA graphs: two norms, two rotations, two
# stores of keys and values, attention and its combination, a GLU, two additions; and before each of seven products of
# quantised weights one that quantises the inputs. Without flash attention, in spring 2024: seven more.
LLAMA_CPP_OTHERS = 11
LLAMA_CPP_QUANTISES = 7
LLAMA_CPP_2024 = 5


def llama_cpp(gpu, shape, file_gib, *, others, rows=1, context=64, head=True):
    """file_gib: the model's, embedding included, as llama-bench prints it. head: false where logits are computed for a prompt's
    last token alone."""
    of_file = shape.weights_of_a_token() + shape.head_weights()
    weights = shape.weights_of_a_token() if head else shape.layers * shape.layer_weights()
    num_bytes = file_gib * 2**30 * weights / of_file
    us = token_us(gpu, num_bytes, rows * context * shape.key_bytes(), shape.layers, streams=7, others=others)
    flops_us = 2 * rows * weights / (gpu.mma_tflops * 1e6)
    return rows * 1e6 / kernels.overlapped(us, flops_us)


def f16_prefill(gpu, shape, rows):
    """cuBLAS at the rate of large matrices; inputs and results of every kernel in f32 through memory."""
    flops = 2 * rows * shape.layers * shape.layer_weights() + shape.layers * 2 * shape.q * rows * rows
    floats = (8 * shape.hidden + 4 * (shape.q + 2 * shape.kv) + 2 * shape.q  # Norms, additions, rotation, attention.
              + 5 * shape.intermediate                                       # Gate, up and their product.
              + 1.5 * (3 * shape.hidden + shape.q + 2 * shape.intermediate))  # Halves for cuBLAS, read and written.
    us = flops / (gpu.gemm_tflops * 1e6) + kernels.read_us(gpu, 4 * rows * floats * shape.layers)
    us += shape.layers * (LLAMA_CPP_OTHERS + 7 + 7) * gpus.EDGE_US
    return rows * 1e6 / us


def flash_infer(gpu, chats, context, kv_heads, kv_bytes=2, head_dim=128):
    """Decoding: keys split so that all multiprocessors have a part, at least 128 keys; a second kernel merges."""
    parts = max(1, gpu.multiprocessors * kernels.ATTENTION_BLOCKS // (chats * kv_heads))
    split = max(128, -(-context // parts))
    splits = [split] * (context // split) or [context]
    return kernels.decode_attention_us(gpu, chats, context, kv_heads, splits=splits, key_bytes=2 * head_dim * kv_bytes)


def marlin_speedup(gpu, rows, inputs, outputs):
    """Of 4 bits with an f16 scale for 128 weights, over f16."""
    weights = inputs * outputs
    flops = 2 * rows * weights
    us = [kernels.stream_us(gpu, weights * size, flops=flops) for size in (2, 0.5 + 2 / 128)]
    return us[0] / us[1]


def vllm_marlin(gpu, shape, chats, context):
    """ms a step: 4 bits with an f16 scale for 128 weights, the head in 16 bits; four products a layer and seven others."""
    num_bytes = shape.layers * shape.layer_weights() * (0.5 + 2 / 128) + shape.head_weights() * 2
    return token_us(gpu, num_bytes, chats * context * shape.key_bytes(), shape.layers, streams=4, others=7) / 1e3


def gpt_fast(gpu, shape, weight_bytes):
    """Compiled by PyTorch, replayed as a graph: five products a layer and about six other kernels."""
    weights = shape.weights_of_a_token() * weight_bytes
    return 1e6 / token_us(gpu, weights, 64 * shape.key_bytes(), shape.layers, streams=5, others=6)


CALM = "github.com/zeux/calm, README, Performance"
AUGMXNT = "github.com/AUGMXNT/speed-benchmarking, nvfp4"
# The GPU is that of the companion, github.com/vllm-project/vllm/pull/16864.
FA_63 = "github.com/vllm-project/flash-attention/pull/63"


def figures():
    g = gpus.GPUS
    rtx4090 = g["RTX 4090"]
    quantised = LLAMA_CPP_OTHERS + LLAMA_CPP_QUANTISES
    rows = [
        Figure("calm, Mistral 7B, fp16", "RTX 4090", 63, "tokens/s", calm(rtx4090, shapes.MISTRAL_7B, 2), CALM),
        Figure("calm, Mistral 7B, fp16, behind 4,000", "RTX 4090", 61, "tokens/s",
               calm(rtx4090, shapes.MISTRAL_7B, 2, 4000), CALM),
        Figure("calm, Mistral 7B, fp8", "RTX 4090", 120, "tokens/s", calm(rtx4090, shapes.MISTRAL_7B, 1), CALM),
        Figure("calm, Mistral 7B, gf4", "RTX 4090", 219, "tokens/s", calm(rtx4090, shapes.MISTRAL_7B, 0.5), CALM),
        Figure("calm, Llama 2 7B, gf4", "RTX 4090", 225, "tokens/s", calm(rtx4090, shapes.LLAMA2_7B, 0.5), CALM,
               "the cost of decoding 4 bits"),
        Figure("calm, Llama 2 13B, gf4", "RTX 4090", 126, "tokens/s", calm(rtx4090, shapes.LLAMA2_13B, 0.5), CALM),
    ]
    for gpu, ub, published, source in [
            ("RTX 4090", 1, 65.20, "github.com/ggml-org/llama.cpp/pull/15131"),
            ("RTX 4090", 8, 485.16, "github.com/ggml-org/llama.cpp/pull/15131"),
            ("RTX 3090", 1, 58.27, "github.com/ggml-org/llama.cpp/pull/14262")]:
        rows.append(Figure(f"llama.cpp, Llama 3 8B, BF16, micro-batch {ub}", gpu, published, "tokens/s",
                           llama_cpp(g[gpu], shapes.LLAMA3_8B, 14.96, others=LLAMA_CPP_OTHERS, rows=ub, context=256, head=False),
                           source))
    rows.append(Figure("llama.cpp, Llama 3.1 8B, Q4_K_M, behind 1,024", "RTX PRO 6000", 4.22, "ms",
                       1e3 / llama_cpp(g["RTX PRO 6000"], shapes.LLAMA3_8B, 4.58, others=quantised, context=1088), AUGMXNT))
    rows.append(Figure("llama.cpp, Qwen3 8B, Q4_K_M", "RTX 5090", 221.7, "tokens/s",  # Two norms more: queries and keys.
                       llama_cpp(g["RTX 5090"], shapes.QWEN3_8B, 4.68, others=quantised + 2),
                       "github.com/CambrianTech/continuum/pull/1627"))
    old = quantised + LLAMA_CPP_2024
    slow = "what its vector kernels of April 2024 cost in instructions, most at Hopper's lower clock"
    rows += [
        Figure("llama.cpp, Llama 2 7B, Q4_0, first CUDA graphs", "RTX 4090", 146.81, "tokens/s",
               llama_cpp(rtx4090, shapes.LLAMA2_7B, 3.56, others=old), "github.com/ggml-org/llama.cpp/pull/6766", slow),
        Figure("llama.cpp, Llama 2 7B, Q4_K_M, first CUDA graphs", "H100 PCIe", 163.83, "tokens/s",
               llama_cpp(g["H100 PCIe"], shapes.LLAMA2_7B, 3.80, others=old), "github.com/ggml-org/llama.cpp/issues/6763", slow),
        Figure("llama.cpp, Llama 3 8B, F16, prompt of 512", "RTX 4090", 9382, "tokens/s",
               f16_prefill(rtx4090, shapes.LLAMA3_8B, 512), "github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference"),
        Figure("FlashInfer, 128 chats of 16,384, 16 KV heads, f16", "H20", 5100, "us",
               flash_infer(g["H20"], 128, 16384, 16), "github.com/Dao-AILab/flash-attention/issues/1572"),
        Figure("FlashInfer, 1 chat of 16,384, 4 KV heads, bf16", "H100 SXM", 25.1, "us",
               flash_infer(g["H100 SXM"], 1, 16384, 4), FA_63,
               "what the chains of loads of one chat's few blocks cost"),
        Figure("FlashInfer, 1 chat of 1,024, 4 KV heads, bf16", "H100 SXM", 12.3, "us",
               flash_infer(g["H100 SXM"], 1, 1024, 4), FA_63,
               "what the chains of loads of one chat's few blocks cost"),
        Figure("gpt-fast, Llama 2 7B, bf16", "A100 SXM 80GB", 104.9, "tokens/s",
               gpt_fast(g["A100 SXM 80GB"], shapes.LLAMA2_7B, 2), "github.com/pytorch-labs/gpt-fast, README, Benchmarks",
               "its limit of 330 W: the source has seen 1,700 GB/s at best"),
        Figure("vLLM with Marlin, Llama 3.1 8B, 16 chats behind 1,024", "RTX PRO 6000", 6.56, "ms",
               vllm_marlin(g["RTX PRO 6000"], shapes.LLAMA3_8B, 16, 1088), AUGMXNT, "what vLLM's host does between two steps"),
        Figure("Marlin, 4 bits over f16, 16 rows", "A10", 3.87, "times",
               marlin_speedup(g["A10"], 16, 73728, 18432), "github.com/IST-DASLab/marlin, README, Benchmarks"),
        Figure("Marlin, 4 bits over f16, 32 rows", "A10", 3.87, "times",
               marlin_speedup(g["A10"], 32, 73728, 18432), "github.com/IST-DASLab/marlin, README, Benchmarks"),
    ]
    return rows


def table():
    lines = ["| | GPU | published | predicted | ratio | source |", "|---|---|---|---|---|---|"]
    for figure in figures():
        number = lambda x: f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"
        mark = "" if figure.agrees else " ✗"
        lines.append(f"| {figure.what} | {figure.gpu} | {number(figure.published)} {figure.unit} | {number(figure.predicted)} "
                     f"| {figure.ratio:.2f}{mark} | {figure.source} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
