"""`./dev bench peers`: Quire beside llama.cpp, turn by turn on this machine's CPU.

Prints the table of targets and writes it, with every run and what was measured with what, as JSON.
docs/benchmarks.md says what the figures mean. Exits with 1 if a target is missed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import install_llama_cpp
import report

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ["Q4_0", "Q8_0", "Q4_K_M", "F16"]
MORE_FORMATS = ["Q5_K_M", "Q6_K", "BF16"]
SHAPES = ["hybrid", "mla", "moe"]  # Before a format and a colon; a Llama without.
ALONE = ["prefill_512", "decode_1"]
TOGETHER = ["decode_4", "decode_8", "decode_16"]
GIB = 1 << 30
QUIET = 0.05  # Of the cores' time may other programs take, for figures to mean something.


def say(text):
    print(f"bench peers: {text}", file=sys.stderr, flush=True)


def said_by(command, environment=None):
    """What a program prints; ends this one if that fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                          env=os.environ | (environment or {}))
    if done.returncode != 0:
        sys.exit(f"bench peers: {command[0]} failed, see above")
    return done.stdout


def num_cores():
    """Of the processor, those that this process may use: threads that share one count once."""
    def threads_of_core(processor):
        topology = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology")
        try:
            return (topology / "core_cpus_list").read_text()
        except OSError:
            return str(processor)
    return len({threads_of_core(processor) for processor in os.sched_getaffinity(0)})


class OtherPrograms:
    """How much of the cores other programs, or other guests of the host, took since it was made."""

    def __init__(self):
        self.begin = self.now()

    @staticmethod
    def now():
        """Seconds that all cores were busy, that our own programs were, and that all cores had."""
        line = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
        user, nice, system, idle, waiting, irq, soft_irq, stolen = map(int, line)
        busy = user + nice + system + irq + soft_irq + stolen
        own = os.times()
        ticks = os.sysconf("SC_CLK_TCK")
        return (busy / ticks, own.children_user + own.children_system + own.user + own.system,
                (busy + idle + waiting) / ticks)

    def share(self):
        busy, own, total = (after - before for after, before in zip(self.now(), self.begin))
        return max(0.0, busy - own) / max(total, 1e-9)


class Programs:
    """What is run, and in which environment."""

    def __init__(self, options, peer_python):
        self.bin = pathlib.Path(options.build) / "bin"
        self.models = pathlib.Path(options.folder) / "models"
        self.peer_python = peer_python
        self.threads = options.threads
        self.repeat = options.repeat
        # With "native" what the caller chose, or Quire itself, stays.
        self.quire_environment = {} if options.isa == "native" else {"QUIRE_CPU_ISA": options.isa}

    def make_model(self, model_format):
        """The file, and the bytes that are read of it to decode a token."""
        self.models.mkdir(parents=True, exist_ok=True)
        path = self.models / f"random-{model_format.replace(':', '-')}.gguf"
        if not path.exists() and shutil.disk_usage(self.models).free < 4 * GIB:
            sys.exit(f"bench peers: {self.models} needs 4 GB free; remove models in it")
        return path, int(said_by([self.bin / "make_random_model", model_format, path]))

    def memory_gb_per_s(self):
        return float(said_by([self.bin / "bench_memory", self.threads]))

    def quire(self, model, *arguments):
        command = [self.bin / "quire-cli", "bench", "--device", "cpu", "--model", model,
                   "--threads", self.threads, "--json", *arguments]
        return json.loads(said_by(command, self.quire_environment))

    def measure_quire(self, model, measures):
        return self.quire(model, "--scenario", "peers", "--repeat", self.repeat,
                          "--measures", ",".join(measures))

    def measure_peer(self, model, plan):
        return json.loads(said_by([self.peer_python, HERE / "run_llama_cpp.py", "--model", model,
                                   "--plan", json.dumps(plan), "--repeat", self.repeat,
                                   "--threads", self.threads]))

    def first_tokens(self, model):
        """Milliseconds to the first token: of a first chat under a persona, of a second one, and of
        one after a restart. Each with a message of its own."""
        with tempfile.TemporaryDirectory(dir=self.models) as folder:
            chats = ["--scenario", "parallel-chats", "--persona-tokens", 1000, "--user-tokens", 16,
                     "--turns", 1, "--generate-tokens", 1, "--think-ms", 0,
                     "--prefix-cache", pathlib.Path(folder) / "prefix.db"]
            before = self.quire(model, *chats, "--parallel", 2)
            after = self.quire(model, *chats, "--parallel", 1, "--message-seed", 1)
        return {"cold_ms": before["ttft_first_ms"], "warm_ms": before["ttft_others_ms"]["p50"],
                "restart_ms": after["ttft_first_ms"],
                "restart_disk_tokens": after["ttft_first_disk_tokens"]}


def variants_of(measure, isa_plan):
    """In the first turn every variant; afterwards the best, so that turns stay short."""
    if measure in isa_plan:
        return [isa_plan[measure]]
    copied = ["plain-copied", "flash-copied"] if measure in TOGETHER else []
    return ["plain", "flash", *copied]


class Comparison:
    """The turns of both programs on one model."""

    def __init__(self, programs, model, measures):
        self.programs = programs
        self.model = model
        self.measures = measures
        self.quire = {measure: [] for measure in measures}
        self.peer = {measure: [] for measure in measures}
        self.best = {}      # The peer's best variant for each measure, from the first turn.
        self.tried = {}     # What each variant made in that turn.
        self.about = {}     # What each program says of itself.

    def take_turn(self):
        ours = self.programs.measure_quire(self.model, self.measures)
        plan = {measure: variants_of(measure, self.best) for measure in self.measures}
        theirs = self.programs.measure_peer(self.model, plan)
        for measure in self.measures:
            self.quire[measure] += ours["tokens_per_s"][measure]
            made = theirs["tokens_per_s"][measure]
            if measure not in self.best:
                self.best[measure] = report.best_variant(made)
                self.tried[measure] = made
            self.peer[measure] += made[self.best[measure]]
        del ours["tokens_per_s"], theirs["tokens_per_s"]
        self.about = {"quire": ours, "llama_cpp": theirs}


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def quire_version(programs):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE,
                            capture_output=True, text=True)
    return {"program": said_by([programs.bin / "quire-cli", "--version"]).strip(),
            "commit": commit.stdout.strip() or None}


def compare(options, programs):
    """Takes all turns; after each format what was measured so far, so that a failure in the next
    one loses nothing."""
    measured = {"memory_runs": [], "compared": {}, "first_tokens": [], "others": OtherPrograms()}
    for model_format in options.formats:
        model, bytes_per_token = programs.make_model(model_format)
        measures = ALONE + (TOGETHER if model_format in options.together else [])
        comparison = Comparison(programs, model, measures)
        for turn in range(options.turns):
            say(f"{model_format}, turn {turn + 1} of {options.turns}")
            measured["memory_runs"].append(programs.memory_gb_per_s())
            comparison.take_turn()
            if model_format == options.formats[0]:
                measured["first_tokens"].append(programs.first_tokens(model))
        measured["compared"][model_format] = (comparison, bytes_per_token)
        yield measured


def rows_of(measured, isa):
    rows = []
    bandwidth = max(measured["memory_runs"])
    for model_format, (comparison, bytes_per_token) in measured["compared"].items():
        for measure in comparison.measures:
            limit = bandwidth * 1e9 / bytes_per_token if measure == "decode_1" else None
            rows.append(report.row(measure, model_format, comparison.quire[measure],
                                   comparison.peer[measure], isa=isa, limit=limit) |
                        {"llama_cpp_variant": comparison.best[measure],
                         "llama_cpp_variants_tried": comparison.tried[measure]})
    return sorted(rows, key=lambda row: list(report.TITLES).index(row["measure"]))


def result_of(measured, options, version, made_of):
    """What is written as JSON."""
    compared = measured["compared"]
    about = compared[options.formats[0]][0].about
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "cpu": cpu_model(), "threads": options.threads, "isa": options.isa,
            "memory_gb_per_s": max(measured["memory_runs"]),
            "memory_runs": measured["memory_runs"],
            "share_of_cores_taken_by_others": measured["others"].share(),
            "quire": version | about["quire"],
            "llama_cpp": about["llama_cpp"] | {"made_of": made_of},
            "bytes_per_token": {name: size for name, (_, size) in compared.items()},
            "turns": options.turns, "repeat": options.repeat,
            "rows": rows_of(measured, options.isa),
            "first_token": report.first_token_rows(measured["first_tokens"])}


def print_report(result):
    peer = result["llama_cpp"]
    print(f"{result['cpu']}, {result['threads']} threads; memory reads "
          f"{result['memory_gb_per_s']:.1f} GB/s")
    print(f"Quire {result['quire']['commit'] or ''}: {result['quire']['device_description']}")
    print(f"llama.cpp of llama-cpp-python {peer['version']}: {peer['system'].strip()}\n")
    print(report.table(result["rows"]) + "\n")
    print(report.first_token_table(result["first_token"]) + "\n")
    if result["threads"] > 1 and result["share_of_cores_taken_by_others"] > QUIET:
        print(f"not to be relied on: {result['share_of_cores_taken_by_others']:.0%} of the cores' "
              "time went to other programs")
    missed = [r for r in result["rows"] + result["first_token"] if r["holds"] is False]
    print(f"{len(missed)} targets are missed" if missed else "every target holds")
    return 1 if missed else 0


def comma_list(known):
    def parse(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return names
    return parse


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev bench peers",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    every_format = FORMATS + MORE_FORMATS
    formats = comma_list(every_format + [f"{shape}:{name}" for shape in SHAPES
                                         for name in every_format])
    parser.add_argument("--formats", type=formats, default=FORMATS,
                        help=f"of {','.join(every_format)}; else the first four; of another shape than "
                             f"a Llama: {':FORMAT, '.join(SHAPES)}:FORMAT")
    parser.add_argument("--together", type=formats, default=["Q4_0"],
                        help='of which formats several chats are measured too; else Q4_0; "": none')
    parser.add_argument("--isa", choices=install_llama_cpp.ISA_OPTIONS, default="native",
                        help="both programs on these instructions; else all that this CPU has")
    parser.add_argument("--turns", type=int, default=3, help="of both programs (3)")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each measure in a turn (1)")
    parser.add_argument("--threads", type=int, default=num_cores(),
                        help="of both programs, else one a core; 1 measures the processor's time")
    parser.add_argument("--build", default="build/release", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="build/bench", help="where models and results go")
    options = parser.parse_args()
    if not options.formats or min(options.turns, options.repeat, options.threads) < 1:
        parser.error("there is nothing to measure")
    return options


def main():
    options = parse_options()
    folder = pathlib.Path(options.folder)
    say("llama.cpp, built from source the first time")
    try:
        peer_python, made_of = install_llama_cpp.install(options.isa, folder / "peers",
                                                         os.cpu_count())
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench peers: llama.cpp could not be built, see above ({error}); it needs PyPI, "
                 "python3-venv and a C++ compiler")
    programs = Programs(options, peer_python)
    version = quire_version(programs)  # Before the sources can change under a long run.
    one = "-one-thread" if options.threads == 1 else ""
    written = folder / f"peers-{options.isa}{one}.json"
    for measured in compare(options, programs):
        result = result_of(measured, options, version, made_of)
        written.write_text(json.dumps(result, indent=1) + "\n")
    status = print_report(result)
    say(f"the figures are in {written}")
    return status


if __name__ == "__main__":
    sys.exit(main())
