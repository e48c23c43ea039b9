"""Threads, Ctrl+C and the end of the program."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from quire import SamplingParams

from support import PROMPTS, ModelTest, llm

GREEDY = SamplingParams(temperature=0, max_tokens=12)

INTERRUPTED = """
import os, signal, sys, threading, time
from quire import LLM, SamplingParams
llm = LLM(max_model_len=2048, num_threads=1)
params = SamplingParams(max_tokens=1900, ignore_eos=True)
def interrupt():
    while llm.stats()["running"] < 4:
        time.sleep(0.01)
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    llm.generate(["a", "b", "c", "d"], params, use_tqdm=False)
    sys.exit("it was not interrupted")
except KeyboardInterrupt:
    took = time.monotonic() - sent
stats = llm.stats()
print(took, stats["running"], stats["waiting"], stats["used_blocks"])
print(len(llm.generate("Once", SamplingParams(max_tokens=3, ignore_eos=True),
                       use_tqdm=False)[0].outputs[0].token_ids))
"""

# The engine is busy, and neither closed nor forgotten, when the program ends.
ENDS_WHILE_BUSY = """
import threading, time
from quire import LLM, SamplingParams
llm = LLM(max_model_len=2048, num_threads=1)
params = SamplingParams(max_tokens=1900, ignore_eos=True)
threading.Thread(target=lambda: llm.generate("a", params, use_tqdm=False), daemon=True).start()
while llm.stats()["running"] == 0:
    time.sleep(0.01)
print("done")
"""

FORKS = """
import os, time
from quire import LLM, QuireError, SamplingParams
llm = LLM(max_model_len=64, num_threads=1)
time.sleep(0.3)  # The engine's thread waits for requests when the process is forked.
child = os.fork()
if child == 0:
    try:
        llm.generate("a", SamplingParams(max_tokens=1), use_tqdm=False)
    except QuireError as error:
        print(type(error).__name__, "spawn" in str(error), flush=True)
    raise SystemExit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run_script(script: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60, check=False)


class ThreadTest(ModelTest):
    def test_threads_share_one_engine(self) -> None:
        expected = llm().generate(PROMPTS, GREEDY, use_tqdm=False)
        found = {}

        def ask(index: int) -> None:
            found[index] = llm().generate(PROMPTS[index], GREEDY, use_tqdm=False)[0]

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(len(PROMPTS))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([found[index].outputs[0].token_ids for index in range(len(PROMPTS))],
                         [output.outputs[0].token_ids for output in expected])

    def test_python_runs_while_the_engine_computes(self) -> None:
        done = threading.Event()

        def ask() -> None:
            llm().generate(PROMPTS, SamplingParams(max_tokens=300, ignore_eos=True),
                           use_tqdm=False)
            done.set()

        thread = threading.Thread(target=ask)
        turns = 0
        thread.start()
        while not done.is_set():
            time.sleep(0.001)
            turns += 1
        thread.join()
        # The call takes many times as long as a turn, also on a busy machine, which slows both.
        self.assertGreater(turns, 20)

    def test_ctrl_c_ends_the_call_and_frees_its_requests(self) -> None:
        done = run_script(INTERRUPTED)
        self.assertEqual(done.returncode, 0, done.stderr)
        took, running, waiting, used = done.stdout.splitlines()[0].split()
        self.assertEqual((running, waiting, used), ("0", "0", "0"))
        self.assertLess(float(took), 20.0)
        self.assertEqual(done.stdout.splitlines()[1], "3")

    def test_ctrl_c_while_the_model_is_loaded(self) -> None:
        script = ("import os, signal, threading\nfrom quire import LLM\n"
                  "threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "while True: LLM(max_model_len=64, num_threads=1)\n")
        done = run_script(script)
        self.assertEqual(done.returncode, -signal.SIGINT, done.stderr)
        self.assertIn("KeyboardInterrupt", done.stderr)

    def test_program_ends_while_the_engine_computes(self) -> None:
        done = run_script(ENDS_WHILE_BUSY)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)

    def test_forked_process_has_no_engine_but_ends(self) -> None:
        done = run_script(FORKS)
        self.assertEqual(done.stdout.splitlines(), ["EngineError True", "0"], done.stderr)


if __name__ == "__main__":
    unittest.main()
