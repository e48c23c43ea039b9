"""How an engine is opened: the names are vLLM's where it has them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from . import _quire
from .errors import invalid, shown, unsupported
from .model_files import declared_dtype, declared_quantization, dtype_name
from .sampling_params import _integer, _number
from .vllm_arguments import is_allowed, without_vllms

_MAX_INT = 2**31 - 1
_BLOCK_TOKENS = 16

_KV_DTYPES = {
    "auto": "auto", "f32": "f32", "float32": "f32", "f16": "f16", "float16": "f16", "half": "f16",
    "bf16": "bf16", "bfloat16": "bf16", "fp8": "f8_e4m3", "fp8_e4m3": "f8_e4m3",
    "f8_e4m3": "f8_e4m3", "i8": "i8", "int8": "i8",
}


def bundled_model() -> Path:
    """The folder of the small demonstration model that comes with Quire."""
    named = os.environ.get("QUIRE_BUNDLED_MODEL")
    return Path(named) if named else Path(__file__).parent / "models" / "quire-mini"


# Arguments with the only values that Quire takes, and why it takes no others.
_FIXED: dict[str, tuple[tuple[Any, ...], str]] = {
    "tensor_parallel_size": ((1,), "device='cuda:0+cuda:1' names the GPUs that compute each layer "
                                   "together; leave it out"),
    "block_size": ((None, _BLOCK_TOKENS), "blocks have 16 tokens"),
    "enable_chunked_prefill": ((None, True), "long prompts are always computed in chunks"),
}


@dataclass
class _Arguments:
    """The arguments of LLM and AsyncLLM.

    model: a folder or a GGUF file; None is the demonstration model.
    max_model_len: tokens of a prompt with its answer; None is the model's own context.
    gpu_memory_utilization: the part of the GPUs' memory for weights and cache together; None lets
    the engine choose. Without a GPU it limits nothing.
    kv_cache_memory_bytes: the cache's memory, instead. None: as the engine chooses.
    swap_space: GiB of the host's memory for blocks that leave a GPU's cache; None: a quarter of
    what is free, at most 8 GB.
    max_num_seqs: answers computed together. max_num_batched_tokens: tokens of a step.
    kv_cache_dtype: "auto", "f32", "f16", "bf16", "i8", or, on a GPU, "fp8".
    dtype, quantization: "auto" and None, or what the model's files have.
    seed: of the seeds for requests that have none.
    device: "auto", "cpu", "cuda", "cuda:1", or "cuda:0+cuda:1", which compute each layer together.
    num_threads: of the CPU; 0 is all cores.
    speculation: "auto", "off" or "always": answers are the same.
    """

    model: Union[None, str, "os.PathLike[str]"] = None
    tokenizer: Union[None, str, "os.PathLike[str]"] = None
    tensor_parallel_size: int = 1
    dtype: str = "auto"
    quantization: Optional[str] = None
    seed: Optional[int] = 0
    max_model_len: Optional[int] = None
    gpu_memory_utilization: Optional[float] = None
    kv_cache_memory_bytes: Optional[int] = None
    swap_space: Optional[float] = None
    enforce_eager: bool = False
    max_num_seqs: Optional[int] = None
    max_num_batched_tokens: Optional[int] = None
    kv_cache_dtype: str = "auto"
    block_size: Optional[int] = None
    enable_prefix_caching: Optional[bool] = None
    enable_chunked_prefill: Optional[bool] = None
    enable_lora: bool = True
    device: str = "auto"
    num_threads: int = 0
    speculation: str = "auto"


class EngineArgs(_Arguments):
    """How an engine is opened. Arguments of vLLM's that are none of these are accepted as far as
    they ask for what Quire does (vllm_arguments); all else is an error that names it.
    """

    __doc__ = (__doc__ or "") + (_Arguments.__doc__ or "")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **without_vllms(named))

    def to_options(self) -> _quire.Options:
        """The engine's options."""
        self._check_fixed()
        options = _quire.Options()
        options.model_path = self.model_path()
        options.device = _choice("device", self.device)
        options.num_threads = _integer("num_threads", self.num_threads, 0, 1024)
        if self.max_model_len is not None:
            options.max_context = _integer("max_model_len", self.max_model_len, 1, _MAX_INT)
        self._set_memory(options)
        self._set_batch(options)
        options.prefix_cache = self.enable_prefix_caching in (None, True)
        options.set_kv_dtype(_KV_DTYPES[_choice("kv_cache_dtype", self.kv_cache_dtype, _KV_DTYPES)])
        options.set_speculation(
            _choice("speculation", self.speculation, ("auto", "off", "always")))
        return options

    def model_path(self) -> str:
        """Where the model is."""
        if self.model is None:
            return str(bundled_model())
        path = os.fspath(self.model)
        if not os.path.exists(path):
            raise invalid(f"There is no model at {path!r}. Download it with quire-cli pull, or pass "
                          "the path of a folder with a model's files, or of a GGUF file.")
        return path

    def _check_fixed(self) -> None:
        for name, (allowed, why) in _FIXED.items():
            value = getattr(self, name)
            if not is_allowed(value, allowed):
                raise unsupported(f"{name}={shown(value)} is not supported: {why}.")
        if self.tokenizer is not None and self.tokenizer != self.model:
            raise unsupported(f"tokenizer={shown(self.tokenizer)} is not supported: the tokenizer "
                              "is the one of the model's files; leave it out.")
        self._check_declared()

    def _check_declared(self) -> None:
        """What the model's files have may be said again, as vLLM's scripts do."""
        path = self.model_path()
        if self.dtype != "auto" and dtype_name(_choice("dtype", self.dtype)) != declared_dtype(path):
            raise unsupported(f"dtype={shown(self.dtype)} is not supported: weights are used as "
                              "the files have them; leave it out.")
        if self.quantization is not None and self.quantization != declared_quantization(path):
            raise unsupported(f"quantization={shown(self.quantization)} is not supported: it is "
                              "read from the model's files; leave it out.")

    def _set_memory(self, options: _quire.Options) -> None:
        if self.kv_cache_memory_bytes is not None:
            options.kv_bytes = _integer("kv_cache_memory_bytes", self.kv_cache_memory_bytes, 1,
                                        2**63 - 1)
        elif self.gpu_memory_utilization is not None:
            part = _number("gpu_memory_utilization", self.gpu_memory_utilization)
            if not 0 < part <= 1:
                raise invalid(f"gpu_memory_utilization is {part}; it must be more than 0 and at "
                              "most 1.")
            options.gpu_memory_utilization = part
        if self.swap_space is not None:
            gib = _number("swap_space", self.swap_space)
            if not 0 <= gib <= 2**20:
                raise invalid(f"swap_space is {gib}; it must be at least 0, in GiB.")
            options.host_kv_bytes = int(gib * 2**30)

    def _set_batch(self, options: _quire.Options) -> None:
        tokens, sequences = self.max_num_batched_tokens, self.max_num_seqs
        if tokens is not None:
            tokens = _integer("max_num_batched_tokens", tokens, 1, 2**20)
        if sequences is not None:
            sequences = _integer("max_num_seqs", sequences, 1, 2**16)
        if tokens is not None and sequences is not None and tokens < sequences:
            raise invalid(f"max_num_batched_tokens is {tokens}; it must be at least max_num_seqs, "
                          f"{sequences}, since each answer needs a token of a step.")
        options.max_sequences = sequences or min(options.max_sequences, tokens or _MAX_INT)
        options.max_batch_tokens = tokens or max(options.max_batch_tokens, options.max_sequences)

    def check_loaded(self, model: _quire.Model) -> None:
        """Checks what could not be known before the model was loaded."""
        if self.max_model_len is not None and model.max_context < self.max_model_len:
            raise invalid(f"max_model_len is {self.max_model_len}; with this model and this much "
                          f"memory for the cache it can be at most {model.max_context}.")
        if self.enforce_eager and model.uses_gpu:
            raise unsupported("enforce_eager=True is not supported on a GPU, whose steps are "
                              "captured as CUDA graphs; leave it out.")


def _choice(name: str, value: Any, choices: Any = None) -> str:
    if not isinstance(value, str):
        raise invalid(f"{name} must be a string, not {shown(value)}.")
    if choices is not None and value not in choices:
        raise invalid(f"{name} is {shown(value)}; it must be one of {', '.join(choices)}.")
    return value
