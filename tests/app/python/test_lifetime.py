"""Engines that come and go, and scripts that were written for vLLM."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
import unittest
import weakref

from quire import LLM, AsyncLLM, RequestOutputKind, SamplingParams, bundled_model

from support import PROMPTS, ModelTest, llm

GREEDY = SamplingParams(temperature=0, max_tokens=12)

# As it is written for vLLM: only the import and the model's name change.
VLLM_SCRIPT = """
from vllm import LLM, SamplingParams

prompts = [
    "Hello, my name is",
    "The president of the United States is",
    "The capital of France is",
    "The future of AI is",
]
sampling_params = SamplingParams(temperature=0.8, top_p=0.95, seed=1, min_tokens=2)

def main():
    llm = LLM(model="facebook/opt-125m", dtype="auto", tensor_parallel_size=1, trust_remote_code=False,
              gpu_memory_utilization=0.9, max_model_len=512, seed=0, enforce_eager=False,
              enable_prefix_caching=True, disable_log_stats=True, swap_space=4)
    outputs = llm.generate(prompts, sampling_params)
    for output in outputs:
        prompt = output.prompt
        generated_text = output.outputs[0].text
        print(f"Prompt: {prompt!r}, Generated text: {generated_text!r}")

if __name__ == "__main__":
    main()
"""


def num_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def small() -> LLM:
    return LLM(max_model_len=128, num_threads=1)


class LifetimeTest(ModelTest):
    def test_two_engines_answer_side_by_side(self) -> None:
        expected = [output.outputs[0].token_ids for output in
                    llm().generate(PROMPTS, GREEDY, use_tqdm=False)]
        engines, found = [small(), small()], {}

        def ask(index: int) -> None:
            outputs = engines[index].generate(PROMPTS, GREEDY, use_tqdm=False)
            found[index] = [output.outputs[0].token_ids for output in outputs]

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {0: expected, 1: expected})

    def test_engine_that_nobody_names_answers_to_the_end(self) -> None:
        found = []
        params = SamplingParams(max_tokens=60, ignore_eos=True)
        thread = threading.Thread(
            target=lambda: found.extend(small().generate(PROMPTS, params, use_tqdm=False)))
        thread.start()
        while thread.is_alive():
            gc.collect()
            thread.join(0.005)
        self.assertEqual([len(output.outputs[0].token_ids) for output in found], [60] * 8)

    def test_collected_engine_ends_its_threads(self) -> None:
        small().shutdown()  # What the process keeps from the first time is there.
        before = num_threads()
        for _ in range(3):
            engine = small()
            engine.generate(PROMPTS[0], GREEDY, use_tqdm=False)
            cycle = [engine]
            cycle.append(cycle)
            seen = weakref.ref(engine)
            del engine, cycle
            gc.collect()
            self.assertIsNone(seen())
        self.assertEqual(num_threads(), before)

    def test_engine_collected_while_it_computes(self) -> None:
        async def main() -> None:
            engine = AsyncLLM(max_model_len=2048, num_threads=1)
            params = SamplingParams(max_tokens=1900, ignore_eos=True)
            streams = [engine.generate(prompt, params) for prompt in PROMPTS]
            for stream in streams:
                await anext(stream)
            del engine
            for stream in streams:
                await stream.aclose()
            del stream, streams
            gc.collect()

        before = num_threads()
        asyncio.run(main())
        self.assertLessEqual(num_threads(), before)

    def test_sixteen_streams_say_what_one_call_says(self) -> None:
        prompts = PROMPTS * 2
        whole = llm().generate(prompts, SamplingParams(max_tokens=24, seed=3), use_tqdm=False)

        async def read(engine: AsyncLLM, prompt: str) -> str:
            params = SamplingParams(max_tokens=24, seed=3, output_kind=RequestOutputKind.DELTA)
            return "".join([output.outputs[0].text
                            async for output in engine.generate(prompt, params)
                            if output.outputs])

        async def main() -> list[str]:
            engine = AsyncLLM(max_model_len=512, num_threads=1)
            try:
                return await asyncio.gather(*(read(engine, prompt) for prompt in prompts))
            finally:
                engine.shutdown()

        self.assertEqual(asyncio.run(main()), [output.outputs[0].text for output in whole])


class VllmScriptTest(ModelTest):
    def test_script_runs_with_another_import_and_model(self) -> None:
        script = VLLM_SCRIPT.replace("from vllm import", "from quire import")
        script = script.replace('"facebook/opt-125m"', repr(str(bundled_model())))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertRegex(line, r"^Prompt: .*, Generated text: (['\"]).+\1$")


if __name__ == "__main__":
    unittest.main()
