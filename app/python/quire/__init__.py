"""Quire: language models on this machine, many answers at once.

    from quire import LLM, SamplingParams

    llm = LLM()  # The demonstration model; LLM("model.gguf") is another.
    for output in llm.generate(["The capital of France is"], SamplingParams(max_tokens=8)):
        print(output.prompt, output.outputs[0].text)
"""

from ._quire import __version__
from .async_llm import AsyncLLM
from .engine_args import EngineArgs, bundled_model
from .errors import EngineError, InvalidRequestError, QuireError
from .llm import LLM
from .outputs import (CompletionOutput, EmbeddingOutput, EmbeddingRequestOutput, Logprob,
                      LoRARequest, RequestMetrics, RequestOutput)
from .sampling_params import RequestOutputKind, SamplingParams
from .structured_outputs import GuidedDecodingParams, StructuredOutputsParams
from .tokenizer import Tokenizer

__all__ = [
    "AsyncLLM",
    "CompletionOutput",
    "EmbeddingOutput",
    "EmbeddingRequestOutput",
    "EngineArgs",
    "EngineError",
    "GuidedDecodingParams",
    "InvalidRequestError",
    "LLM",
    "Logprob",
    "LoRARequest",
    "QuireError",
    "RequestMetrics",
    "RequestOutput",
    "RequestOutputKind",
    "SamplingParams",
    "StructuredOutputsParams",
    "Tokenizer",
    "__version__",
    "bundled_model",
]
