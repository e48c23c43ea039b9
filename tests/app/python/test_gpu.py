"""With a GPU: one of the SIMT harness, whose kernels run on the processor."""

import os
import subprocess
import sys
import unittest

from support import ModelTest

SCRIPT = """
import sys
from quire import LLM, QuireError, SamplingParams
params = SamplingParams(temperature=0, max_tokens=3)
def ask(**arguments):
    try:
        with LLM(max_model_len=128, num_threads=1, **arguments) as llm:
            [output] = llm.generate("Once upon", params, use_tqdm=False)
            print(llm.stats()["total_blocks"], *output.outputs[0].token_ids)
    except QuireError as error:
        print(error)
ask(device="cpu")
ask(device="cuda", gpu_memory_utilization=0.4)
ask(device="cuda", gpu_memory_utilization=0.5)
ask(device="cuda", gpu_memory_utilization=0.01)
ask(device="cuda", enforce_eager=True)
"""


class GpuTest(ModelTest):
    def test_memory_is_a_part_of_the_gpus(self) -> None:
        library = os.environ.get("QUIRE_CUDA_HARNESS", "")
        if not os.path.exists(library):
            self.skipTest("the SIMT harness is not built")
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True,
                              timeout=240, check=True,
                              env=dict(os.environ, QUIRE_CUDA_LIBRARY=library))
        cpu, small, large, too_small, eager = done.stdout.splitlines()
        (_, *expected), (some, *tokens), (more, *again) = (
            line.split() for line in (cpu, small, large))
        self.assertEqual((tokens, again), (expected, expected))
        # A tenth of 2 GiB, in blocks of 48 KiB (6 layers, 2 heads of 64, 16 tokens, f16).
        self.assertAlmostEqual(int(more) - int(some), 0.1 * 2**31 / (48 * 1024), delta=2)
        self.assertIn("gpu_memory_utilization=0.01", too_small)
        self.assertIn("enforce_eager=True", eager)


if __name__ == "__main__":
    unittest.main()
