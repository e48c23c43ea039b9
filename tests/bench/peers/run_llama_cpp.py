"""Measures llama.cpp as `quire-cli bench --scenario peers` measures Quire; prints JSON.

Runs in the environment that install_llama_cpp.py makes. What a measure is says docs/benchmarks.md;
tokens are random, and none is sampled: only llama_decode is timed, so that Python costs nothing.
Each measure is taken in the variants named (VARIANTS), and the report says what each made.
"""

import argparse
import ctypes
import json
import os
import random
import time

import llama_cpp as lc

PREFIX = 256
GENERATED = 64
MICRO_BATCH = 512
# Flash attention or not; keys and values of all sequences in one buffer, whose shared cells are
# shared in fact, or each sequence's copied into its own.
VARIANTS = {
    "plain": (False, True),
    "flash": (True, True),
    "plain-copied": (False, False),
    "flash-copied": (True, False),
}


@lc.llama_log_callback
def silent(_level, _text, _data):
    pass


class Batch:
    """Tokens for one llama_decode: (token, position, sequence, whether its logits are wanted)."""

    def __init__(self):
        self.batch = lc.llama_batch_init(MICRO_BATCH, 0, 1)

    def fill(self, rows):
        self.batch.n_tokens = len(rows)
        for i, (token, position, sequence, wants_logits) in enumerate(rows):
            self.batch.token[i] = token
            self.batch.pos[i] = position
            self.batch.n_seq_id[i] = 1
            self.batch.seq_id[i][0] = sequence
            self.batch.logits[i] = wants_logits
        return self.batch


class Runner:
    def __init__(self, model, threads):
        params = lc.llama_model_default_params()
        params.n_gpu_layers = 0
        self.model = lc.llama_model_load_from_file(os.fsencode(model), params)
        if not self.model:
            raise SystemExit(f"llama.cpp cannot load {model}")
        self.vocab_size = lc.llama_vocab_n_tokens(lc.llama_model_get_vocab(self.model))
        self.threads = threads
        # Of one thread the processor's time, to which other programs on the machine add nothing.
        self.clock = time.process_time if threads == 1 else time.perf_counter
        self.batch = Batch()
        self.random = random.Random(1)

    def tokens(self, count):
        return [self.random.randrange(300, self.vocab_size) for _ in range(count)]

    def open(self, variant, sequences, context):
        """A context for so many sequences of at most `context` tokens each."""
        flash, unified = VARIANTS[variant]
        params = lc.llama_context_default_params()
        params.n_ctx = context * sequences
        params.n_batch = params.n_ubatch = MICRO_BATCH
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = self.threads
        params.flash_attn_type = 1 if flash else 0
        params.kv_unified = unified
        params.no_perf = True
        self.context = lc.llama_init_from_model(self.model, params)
        if not self.context:
            raise SystemExit("llama.cpp cannot make a context")
        self.memory = lc.llama_get_memory(self.context)

    def close(self):
        lc.llama_free(self.context)

    def decode(self, rows):
        """Seconds of one step, until its logits are there."""
        batch = self.batch.fill(rows)
        begin = self.clock()
        failed = lc.llama_decode(self.context, batch)
        lc.llama_synchronize(self.context)
        seconds = self.clock() - begin
        if failed:
            raise SystemExit(f"llama_decode failed: {failed}")
        return seconds

    def read_prompt(self, count):
        """Computes a prompt of sequence 0; only its last token's logits are wanted."""
        rows = [(token, i, 0, i == count - 1) for i, token in enumerate(self.tokens(count))]
        return self.decode(rows)

    def prefill(self, count):
        lc.llama_memory_clear(self.memory, False)
        return count / self.read_prompt(count)

    def decode_together(self, chats, prompt):
        """`chats` sequences after one prompt, which is computed once: tokens a second of all."""
        lc.llama_memory_clear(self.memory, False)
        self.read_prompt(prompt)
        for chat in range(1, chats):
            lc.llama_memory_seq_cp(self.memory, 0, chat, -1, -1)
        seconds = 0.0
        for step in range(GENERATED + 1):
            tokens = self.tokens(chats)
            took = self.decode([(tokens[i], prompt + step, i, True) for i in range(chats)])
            # The first step makes every chat's first token; the rate is of those after it.
            seconds += took if step > 0 else 0.0
        return chats * GENERATED / seconds

    def measure(self, name, variant, repeat):
        """Tokens a second, `repeat` times after a run that does not count."""
        kind, number = name.split("_")
        number = int(number)
        chats = number if kind == "decode" else 1
        # A multiple of 256 is what llama.cpp itself rounds up to.
        self.open(variant, chats, 512)
        if kind == "prefill":
            once = lambda: self.prefill(number)
        else:
            once = lambda: self.decode_together(chats, 128 if chats == 1 else PREFIX)
        values = [once() for _ in range(repeat + 1)][1:]
        self.close()
        return values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--plan", required=True, help='{"decode_1": ["plain", "flash"], ...}')
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    lc.llama_log_set(silent, ctypes.c_void_p(0))
    lc.llama_backend_init()
    runner = Runner(options.model, options.threads)
    figures = {name: {variant: runner.measure(name, variant, options.repeat)
                      for variant in variants}
               for name, variants in json.loads(options.plan).items()}
    print(json.dumps({"version": lc.__version__, "threads": options.threads,
                      "system": lc.llama_print_system_info().decode(), "tokens_per_s": figures}))


if __name__ == "__main__":
    main()
