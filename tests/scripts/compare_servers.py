"""Quire's server and llama-cpp-python's under the same load, in turns: quire-cli bench --url with the same prompts.

  python3 tests/scripts/compare_servers.py --cli build/release/bin/quire-cli --peer-python VENV/bin/python

VENV has `pip install 'llama-cpp-python[server]'`. Without --model it is the bundled model in F16. Both servers use the same
number of threads, and only one of them works at a time; llama-cpp-python computes one request after the other.
Prompts are words of one token each, since the other server takes no token ids, and answers have the full length.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

CASES = {
    "1 client": ["--concurrency", "1", "--prompt-tokens", "288", "--generate-tokens", "64"],
    "16 clients, 256 shared tokens": ["--concurrency", "16", "--shared-prefix", "256", "--prompt-tokens", "288",
                                      "--generate-tokens", "64"],
}
FIGURES = ["TTFT p50 ms", "TTFT p99 ms", "TPOT p50 ms", "output tokens/s", "requests/s"]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/bin/quire-cli", help="quire-cli")
    parser.add_argument("--peer-python", required=True, help="a Python with llama-cpp-python[server]")
    parser.add_argument("--model", help="a GGUF file that both load (default: the bundled model)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--requests", type=int, default=64, help="of each turn of each case")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", help="a file for all reports")
    return parser.parse_args()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(name, command, port, log):
    """The server of that command, when it answers."""
    process = subprocess.Popen(command, stdout=log, stderr=log)
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"{name} ended at its start; see {log.name}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).read()
            return process
        except OSError:
            time.sleep(0.2)
    process.kill()
    sys.exit(f"{name} does not answer; see {log.name}")


def bench(args, model, port, case, seed):
    command = [args.cli, "bench", "--url", f"http://127.0.0.1:{port}", "--tokenizer", model, "--words", "--json",
               "--ignore-eos", "--requests", str(args.requests), "--load-seed", str(seed), *CASES[case]]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {run.stderr}")
    report = json.loads(run.stdout)
    if report["failed"]:
        print(f"{report['failed']} of {report['requests']} failed: {report['errors']}", file=sys.stderr)
    return report


def figures(report):
    return [report["ttft_ms"]["p50"], report["ttft_ms"]["p99"], report["tpot_ms"]["p50"],
            report["output_tokens_per_s"], report["requests_per_s"]]


def measure(args, model, ports):
    """The reports of each case and server; the servers change places with each turn."""
    reports = {case: {name: [] for name in ports} for case in CASES}
    for case in CASES:
        for turn in range(args.turns):
            names = list(ports) if turn % 2 == 0 else list(reversed(ports))
            for name in names:
                reports[case][name].append(bench(args, model, ports[name], case, turn))
    return reports


def print_table(reports):
    print("| load | server | answered | " + " | ".join(FIGURES) + " |")
    print("|---" * (len(FIGURES) + 3) + "|")
    for case, servers in reports.items():
        for name, runs in servers.items():
            medians = [statistics.median(column) for column in zip(*(figures(run) for run in runs))]
            answered = f"{sum(run['answered'] for run in runs)} of {sum(run['requests'] for run in runs)}"
            print(f"| {case} | {name} | {answered} | " + " | ".join(f"{value:.2f}" for value in medians) + " |")


def main():
    args = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # Ends the servers as well.
    with tempfile.TemporaryDirectory() as folder:
        model = args.model
        if model is None:
            model = str(pathlib.Path(folder) / "quire-mini.gguf")
            subprocess.run([args.cli, "quantize", "--type", "F16", "--no-measure", "--output", model], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ports = {"Quire": free_port(), "llama-cpp-python": free_port()}
        commands = {
            "Quire": [args.cli, "serve", "--quiet", "--device", "cpu", "--model", model, "--port", str(ports["Quire"]),
                      "--threads", str(args.threads), "--context", str(args.context)],
            "llama-cpp-python": [args.peer_python, "-m", "llama_cpp.server", "--model", model, "--host", "127.0.0.1",
                                 "--port", str(ports["llama-cpp-python"]), "--n_ctx", str(args.context), "--n_threads",
                                 str(args.threads), "--n_threads_batch", str(args.threads), "--n_gpu_layers", "0",
                                 "--interrupt_requests", "False", "--verbose", "False"]}
        processes = []
        try:
            for name, command in commands.items():
                with open(pathlib.Path(tempfile.gettempdir()) / f"compare_servers_{name}.log", "w") as log:
                    processes.append(start(name, command, ports[name], log))
            reports = measure(args, model, ports)
        finally:
            for process in processes:
                process.terminate()
                process.wait()
    print_table(reports)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(reports, indent=1))


main()
