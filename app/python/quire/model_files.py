"""What a model's files declare, for arguments that may repeat it."""

from __future__ import annotations

import json
import os
from typing import Any, Optional

_MAX_CONFIG_BYTES = 4 << 20
_DTYPES = {"half": "float16", "float": "float32"}


def dtype_name(name: str) -> str:
    """A dtype's full name, of one that may be short."""
    return _DTYPES.get(name, name)


def declared_dtype(path: str) -> Optional[str]:
    """The dtype of a folder's weights before they were quantised; None if nothing says it."""
    config = _config(path)
    for name in ("dtype", "torch_dtype"):
        if isinstance(config.get(name), str):
            return dtype_name(str(config[name]))
    return None


def declared_quantization(path: str) -> Optional[str]:
    """How the weights are quantised, as vLLM calls it: "gguf", "gptq", "awq"..., or None."""
    if path.endswith(".gguf"):
        return "gguf"
    quantization = _config(path).get("quantization_config")
    method = quantization.get("quant_method") if isinstance(quantization, dict) else None
    return method if isinstance(method, str) else None


def _config(path: str) -> dict[str, Any]:
    """The folder's config.json; empty where there is none that can be read. The engine says what
    is wrong with it."""
    name = os.path.join(path, "config.json")
    try:
        if not os.path.isfile(name):  # A device may have no end, and a pipe waits for its other.
            return {}
        with open(name, "rb") as file:
            text = file.read(_MAX_CONFIG_BYTES + 1)
        if len(text) > _MAX_CONFIG_BYTES:
            return {}
        config = json.loads(text.decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}
