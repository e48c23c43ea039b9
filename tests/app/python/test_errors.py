"""Wrong prompts, models and arguments are errors that name them, and leave nothing behind."""

import json
import os
import tempfile
import unittest

from quire import LLM, EngineArgs, LoRARequest, QuireError, SamplingParams, bundled_model
from quire.model_files import declared_dtype

from support import PROMPTS, ModelTest, llm

GREEDY = SamplingParams(temperature=0, max_tokens=12)


class ErrorTest(ModelTest):
    def test_wrong_prompts_are_errors_and_nothing_stays(self) -> None:
        for prompts, why in [
                ("", "empty"), ([[]], "empty"), (b"x", "not bytes"), (7, "must be text"),
                ([[1, -5]], "-5"), ([[1, 999999]], "999999"), ([[2**40]], "1099511627776"),
                ({"prompt": "x", "multi_modal_data": {}}, "multi_modal_data"), ({}, "needs prompt"),
                ("word " * 2000, "context of 512"), ("\ud800", "not Unicode"),
                (["good", "word " * 2000], "Prompt 1: .*context of 512")]:
            with self.subTest(prompts=str(prompts)[:30].encode("ascii", "replace")):
                with self.assertRaisesRegex(ValueError, why) as caught:
                    llm().generate(prompts, GREEDY, use_tqdm=False)
                self.assertIsInstance(caught.exception, QuireError)
        self.assertEqual(llm().stats()["running"] + llm().stats()["waiting"], 0)

    def test_context_overflow_has_its_code(self) -> None:
        with self.assertRaises(QuireError) as caught:
            llm().generate("word " * 2000, GREEDY, use_tqdm=False)
        self.assertEqual(caught.exception.code, "context_overflow")

    def test_answer_ends_with_the_context(self) -> None:
        with LLM(max_model_len=32) as small:
            params = SamplingParams(temperature=0, max_tokens=None, ignore_eos=True)
            [output] = small.generate(PROMPTS[0], params, use_tqdm=False)
        self.assertEqual(output.outputs[0].finish_reason, "length")
        self.assertEqual(len(output.prompt_token_ids) + len(output.outputs[0].token_ids), 32)

    def test_models_that_are_not_there_or_are_none(self) -> None:
        with self.assertRaisesRegex(ValueError, "no model at 'facebook/opt-125m'.*quire-cli pull"):
            LLM("facebook/opt-125m")
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(b"not a model")
            file.flush()
            with self.assertRaises(QuireError):
                LLM(file.name)

    def test_arguments_that_are_wrong_or_not_supported_are_named(self) -> None:
        for name, value in [
                ("tensor_parallel_size", 2), ("pipeline_parallel_size", 2), ("dtype", "float16"),
                ("quantization", "awq"), ("trust_remote_code", True), ("tokenizer", "other"),
                ("tokenizer_mode", "slow"), ("cpu_offload_gb", 4), ("block_size", 32),
                ("enable_chunked_prefill", False), ("revision", "main"), ("max_model_len", 0),
                ("max_model_len", "long"), ("gpu_memory_utilization", 1.5),
                ("gpu_memory_utilization", 0), ("kv_cache_dtype", "int4"), ("max_num_seqs", 0),
                ("speculative_config", {"model": "x"}), ("rope_theta", 1e6), ("task", "score"),
                ("data_parallel_size", 2), ("generation_config", "vllm"), ("max_logprobs", 101),
                ("trust_remote_code", 1), ("block_size", True),
                ("swap_space", -1), ("device", 3), ("speculation", "maybe"), ("num_threads", -1)]:
            with self.subTest(name=name):
                with self.assertRaisesRegex(ValueError, name):
                    EngineArgs(**{name: value}).to_options()
        with self.assertRaises(TypeError):
            LLM(tensor_paralel_size=1)
        with self.assertRaisesRegex(ValueError, "device"):
            LLM(device="tpu")
        with self.assertRaisesRegex(ValueError, "max_model_len is 100000.*at most 2048"):
            LLM(max_model_len=100000)

    def test_what_the_files_have_may_be_said_again(self) -> None:
        config = json.loads((bundled_model() / "config.json").read_text())
        dtype = config.get("dtype") or config["torch_dtype"]
        for name, value in [("dtype", dtype), ("dtype", "auto"), ("load_format", "safetensors"),
                            ("tokenizer_mode", "auto"), ("task", "generate"), ("max_logprobs", 20),
                            ("cpu_offload_gb", 0.0), ("disable_log_stats", True),
                            ("download_dir", "/nowhere"), ("hf_token", "x"),
                            ("distributed_executor_backend", "mp"), ("trust_remote_code", False)]:
            with self.subTest(name=name):
                EngineArgs(**{name: value}).to_options()
        other = "float16" if dtype != "float16" else "bfloat16"
        with self.assertRaisesRegex(ValueError, "dtype"):
            EngineArgs(dtype=other).to_options()
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/config.json", "w") as file:
                json.dump({"quantization_config": {"quant_method": "gptq"}, "torch_dtype": 3}, file)
            EngineArgs(folder, quantization="gptq").to_options()
            for wrong in ({"quantization": "awq"}, {"dtype": "float16"}):
                with self.assertRaises(ValueError):
                    EngineArgs(folder, **wrong).to_options()

    def test_config_that_is_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            name = folder + "/config.json"
            for make in (os.mkdir, os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
                make(name)
                self.assertIsNone(declared_dtype(folder))
                with self.assertRaisesRegex(ValueError, "dtype='float16' is not supported"):
                    EngineArgs(folder, dtype="float16").to_options()
                (os.rmdir if os.path.isdir(name) else os.remove)(name)
            with open(name, "w") as file:
                file.write('{"dtype": "float16"}' + " " * (4 << 20))
            self.assertIsNone(declared_dtype(folder))

    def test_arguments_reach_the_engine(self) -> None:
        args = EngineArgs(max_model_len=128, gpu_memory_utilization=0.5, max_num_seqs=3,
                          max_num_batched_tokens=77, kv_cache_dtype="bfloat16", swap_space=0.5,
                          enable_prefix_caching=False, num_threads=2)
        options = args.to_options()
        self.assertEqual((options.max_context, options.max_sequences, options.max_batch_tokens),
                         (128, 3, 77))
        self.assertEqual((options.gpu_memory_utilization, options.host_kv_bytes), (0.5, 2**29))
        self.assertEqual((options.prefix_cache, options.num_threads), (False, 2))
        self.assertEqual(EngineArgs(max_num_batched_tokens=8).to_options().max_sequences, 8)
        with self.assertRaisesRegex(ValueError, "at least max_num_seqs, 9"):
            EngineArgs(max_num_batched_tokens=8, max_num_seqs=9).to_options()

    def test_prefix_cache_can_be_turned_off(self) -> None:
        with LLM(max_model_len=256, enable_prefix_caching=False) as plain:
            prompt = "word " * 60
            for _ in range(2):
                [output] = plain.generate(prompt, GREEDY, use_tqdm=False)
                self.assertEqual(output.num_cached_tokens, 0)

    def test_adapter_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(ValueError, "no adapter at"):
            llm().generate(PROMPTS[0], GREEDY, use_tqdm=False,
                           lora_request=LoRARequest("x", 1, "/nowhere"))

    def test_nothing_can_be_asked_after_shutdown(self) -> None:
        closed = LLM(max_model_len=64)
        closed.shutdown()
        closed.shutdown()
        with self.assertRaisesRegex(RuntimeError, "shut down"):
            closed.generate(PROMPTS[0], GREEDY, use_tqdm=False)


if __name__ == "__main__":
    unittest.main()
