"""Times the script of the seed documents: eight prompts in one call, and one by one.

    PYTHONPATH=build/release/python python3 tests/app/python/bench_script.py [MODEL]

Prints the ratio of the times, which is to be at least 3 on the demonstration model.
"""

import statistics
import sys
import time

from quire import LLM, SamplingParams

PROMPTS = [f"Story {index}: once upon a time there was a" for index in range(8)]
TURNS = 5


def seconds(work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    llm = LLM(sys.argv[1] if len(sys.argv) > 1 else None)
    params = SamplingParams(temperature=0.8, top_p=0.95, max_tokens=128, ignore_eos=True, seed=1)
    llm.generate(PROMPTS, params, use_tqdm=False)
    together, alone = [], []
    for _ in range(TURNS):  # In turns, so that other programs disturb both.
        together.append(seconds(lambda: llm.generate(PROMPTS, params, use_tqdm=False)))
        alone.append(seconds(lambda: [llm.generate(prompt, params, use_tqdm=False)
                                      for prompt in PROMPTS]))
    one, many = statistics.median(alone), statistics.median(together)
    tokens = len(PROMPTS) * params.max_tokens
    print(f"one by one: {one:.3f} s ({tokens / one:.0f} tokens/s)")
    print(f"one call:   {many:.3f} s ({tokens / many:.0f} tokens/s)")
    print(f"ratio:      {one / many:.2f}")


if __name__ == "__main__":
    main()
