"""vLLM's arguments of LLM that Quire has no use for: what is accepted of them, and why no more."""

from __future__ import annotations

from typing import Any

from .errors import shown, unsupported

_DOWNLOAD = "nothing is downloaded; pass the path of a model"
_FILES = "it is read from the model's files; leave it out"
_LAYERS = "a model that needs several GPUs is laid on them layer by layer; leave it out"
_CONFIG = "the model's configuration is used as it is"
_MEDIA = "prompts are texts"
_ONE_PROCESS = "the engine runs in the script's own process"
_NONE: tuple[Any, ...] = (None, {}, [])

# They cannot change an answer, whatever they are: how vLLM logs, loads, downloads and schedules.
IGNORED = frozenset({
    "aggregate_engine_logging", "async_scheduling", "cuda_graph_sizes", "cudagraph_capture_sizes",
    "disable_async_output_proc", "disable_cascade_attn", "disable_custom_all_reduce",
    "disable_hybrid_kv_cache_manager", "disable_log_requests", "disable_log_stats",
    "distributed_executor_backend", "download_dir", "enable_log_requests",
    "enable_multimodal_encoder_data_parallel", "fully_sharded_loras", "hf_token", "ignore_patterns",
    "kv_cache_metrics", "kv_cache_metrics_sample", "long_prefill_token_threshold", "lora_dtype",
    "max_cpu_loras", "max_long_partial_prefills", "max_lora_rank", "max_loras",
    "max_num_partial_prefills", "max_parallel_loading_workers", "max_seq_len_to_capture",
    "max_context_len_to_capture", "multi_step_stream_outputs", "num_scheduler_steps",
    "prefix_caching_hash_algo", "pt_load_map_location", "ray_workers_use_nsight",
    "safetensors_load_strategy", "served_model_name", "show_hidden_metrics_for_version",
    "stream_interval", "use_tqdm_on_load", "use_v2_block_manager",
})

# Arguments with the only values that Quire takes, and why it takes no others.
FIXED: dict[str, tuple[Any, str]] = {
    "allowed_local_media_path": ((None, ""), _MEDIA),
    "attention_backend": ((None, "auto"), "the engine has one of its own"),
    "calculate_kv_scales": ((None, False), "the cache needs no scales of its own"),
    "code_revision": ((None,), _DOWNLOAD),
    "compilation_config": ((None, {}), "steps are captured as CUDA graphs where that is faster"),
    "config_format": (("auto", "hf"), _FILES),
    "convert": (("auto", "none", "embed"), "models generate and embed, no more"),
    "cpu_offload_gb": ((0,), "layers that do not fit a GPU are computed on the CPU anyway"),
    "data_parallel_size": ((1,), "one engine uses the machine; start a process for each other"),
    "decode_context_parallel_size": ((1,), _LAYERS),
    "disable_sliding_window": ((False,), _CONFIG),
    "enable_expert_parallel": ((False,), _LAYERS),
    "enable_prompt_adapter": ((False,), "prompt adapters are not read; LoRA adapters are"),
    "enable_prompt_embeds": ((False,), _MEDIA),
    "enable_return_routed_experts": ((False,), "it is not recorded"),
    "enable_sleep_mode": ((False,), "shutdown() frees the model"),
    "generation_config": (("auto",), "sampling_params choose other values"),
    "guided_decoding_backend": ((None, "auto"), "the engine has one of its own"),
    "hf_config_path": ((None,), _FILES),
    "hf_overrides": (_NONE, _CONFIG),
    "kv_events_config": (_NONE, "the cache is not announced"),
    "kv_transfer_config": (_NONE, "the cache is not shared with other machines"),
    "limit_mm_per_prompt": (_NONE, _MEDIA),
    "load_format": (("auto", "safetensors", "gguf"), _FILES),
    "logits_processor_pattern": ((None,), "logits are not passed to Python"),
    "logits_processors": (_NONE, "logits are not passed to Python"),
    "max_logprobs": (range(0, 101), "at most 100 log probabilities are returned"),
    "mm_processor_kwargs": (_NONE, _MEDIA),
    "model_impl": (("auto", "vllm"), "there is one, Quire's"),
    "model_loader_extra_config": (_NONE, _FILES),
    "num_gpu_blocks_override": ((None,), "use kv_cache_memory_bytes"),
    "num_lookahead_slots": ((0,), "use speculation"),
    "override_generation_config": (_NONE, "sampling_params choose other values"),
    "override_neuron_config": (_NONE, "there is no such device"),
    "override_pooler_config": (_NONE, "vectors are pooled as the model's files say"),
    "pipeline_parallel_size": ((1,), _LAYERS),
    "pooler_config": (_NONE, "vectors are pooled as the model's files say"),
    "preemption_mode": ((None,), "the engine chooses"),
    "quantization_param_path": ((None,), _FILES),
    "reasoning_parser": ((None, ""), "texts have the reasoning with its marks"),
    "revision": ((None,), _DOWNLOAD),
    "rope_scaling": (_NONE, _CONFIG),
    "rope_theta": ((None,), _CONFIG),
    "runner": (("auto", "generate", "pooling"), "models generate and embed, no more"),
    "scheduler_cls": ((None,), "the engine has one of its own"),
    "scheduler_delay_factor": ((0,), "requests begin as soon as there is room"),
    "scheduling_policy": (("fcfs", "priority"), "requests go by priority, then as they come"),
    "skip_tokenizer_init": ((False,), "the engine needs the tokenizer"),
    "speculative_config": (_NONE, "use speculation; answers are the same"),
    "speculative_model": ((None,), "use speculation; answers are the same"),
    "task": (("auto", "generate", "embed", "embedding"), "models generate and embed, no more"),
    "tokenizer_mode": (("auto",), "the tokenizer is the one of the model's files"),
    "tokenizer_revision": ((None,), _DOWNLOAD),
    "trust_remote_code": ((False,), "Quire runs no code that comes with a model; leave it out"),
    "worker_cls": (("auto",), _ONE_PROCESS),
    "worker_extension_cls": ((None, ""), _ONE_PROCESS),
}


def is_allowed(value: Any, allowed: Any) -> bool:
    """Whether it is one of the allowed values; True is not 1 here."""
    return any(value is other or (type(value) is type(other) and value == other)
               or (isinstance(value, float) and isinstance(other, int) and value == other)
               for other in allowed)


def without_vllms(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are Quire's own. Raises for vLLM's with a value that is not supported."""
    own = {}
    for name, value in arguments.items():
        if name in FIXED:
            allowed, why = FIXED[name]
            if not is_allowed(value, allowed):
                raise unsupported(f"{name}={shown(value)} is not supported: {why}.")
        elif name not in IGNORED:
            own[name] = value
    return own
