"""Shapes of models, and the bytes of their weights by format."""
import dataclasses

# Bytes of a weight, scales included, as Quire's kernels read it (kernels/cuda/weights/formats).
WEIGHT_BYTES = {"bf16": 2.0, "q8_0": 34 / 32, "q4_k": 144 / 256}


@dataclasses.dataclass(frozen=True)
class Shape:
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    intermediate: int
    vocab: int
    head_dim: int = 128

    @property
    def q(self):
        return self.heads * self.head_dim

    @property
    def kv(self):
        return self.kv_heads * self.head_dim

    def layer_products(self):
        """(outputs, inputs) of a layer's matrices by name."""
        return {"qkv": (self.q + 2 * self.kv, self.hidden), "output": (self.hidden, self.q),
                "gate_up": (2 * self.intermediate, self.hidden), "down": (self.hidden, self.intermediate)}

    def layer_weights(self):
        return sum(outputs * inputs for outputs, inputs in self.layer_products().values())

    def head_weights(self):
        return self.vocab * self.hidden

    def weights_of_a_token(self):
        """Those that a step reads: all but the embedding, of which it reads a row."""
        return self.layers * self.layer_weights() + self.head_weights()

    def key_bytes(self, kv_bytes=2):
        """Of one token's keys and values in all layers."""
        return self.layers * 2 * self.kv * kv_bytes


# Of bench_gpu (tests/bench/gpu/llama.cpp).
QUIRE_SHAPES = {"1b": Shape(16, 2048, 32, 8, 8192, 32000, head_dim=64), "8b": Shape(32, 4096, 32, 8, 14336, 128256)}

LLAMA2_7B = Shape(32, 4096, 32, 32, 11008, 32000)
LLAMA2_13B = Shape(40, 5120, 40, 40, 13824, 32000)
MISTRAL_7B = Shape(32, 4096, 32, 8, 14336, 32000)
LLAMA3_8B = QUIRE_SHAPES["8b"]
QWEN3_8B = Shape(36, 4096, 32, 8, 12288, 151936)
