"""What the tests of the Python package share."""

import functools
import json
import os
import subprocess
import unittest

import quire

PROMPTS = [
    "The capital of France is",
    "Once upon a time there was a",
    "Two plus three is",
    "My favourite colour is",
    "In the morning I like to",
    "The old sailor told us that",
    "A list of animals:",
    "She opened the door and",
]
CHATS = [[{"role": "user", "content": text}] for text in (
    "What is the capital of France?", "Hello!", "Tell me a story.", "What is 2 plus 3?")]


@functools.lru_cache(maxsize=None)
def llm() -> quire.LLM:
    """The demonstration model, opened once."""
    return quire.LLM(max_model_len=512, num_threads=1)


def run_cli(*arguments: str, stdin: str = "") -> list[dict]:
    """The JSON lines that quire-cli prints."""
    done = subprocess.run(
        [os.environ["QUIRE_CLI_PATH"], *arguments, "--json", "--context", "512", "--threads", "1"],
        input=stdin, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line) for line in done.stdout.splitlines()]


class ModelTest(unittest.TestCase):
    """A test that needs the demonstration model."""

    @classmethod
    def setUpClass(cls) -> None:
        if not (quire.bundled_model() / "config.json").exists():
            raise unittest.SkipTest("the demonstration model is not here")
