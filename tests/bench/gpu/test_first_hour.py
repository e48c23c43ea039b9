#!/usr/bin/env python3
"""kernels/first-hour.sh with programs that stand for CMake, a GPU's tools and what they build."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

BENCH = """#!/bin/sh
while [ $# -gt 0 ]; do
  if [ "$1" = --json ]; then
    echo '{"device": "NVIDIA H200, 150 GB", "figures": {"8b bf16 decode, 1 chat": {"ms a step": 4.5}}}' > "$2"
  fi
  shift
done
echo the table of bench_gpu
"""
GOLDEN = """#!/bin/sh
if [ "$1" = -datatags ]; then
  echo "TestCudaModels models_matchTransformers gqa_f32 on cuda-harness"
  echo "TestCudaModels models_matchTransformers gqa_f32 on cuda"
  exit
fi
test "$*" = "models_matchTransformers:gqa_f32 on cuda" && echo the logits are right
"""
STUBS = {
    # The programs lie where a build would put them; `no_build` in the environment is a compiler that does not work.
    "cmake": '#!/bin/sh\ntest -z "$no_build"\n',
    "compute-sanitizer": '#!/bin/sh\ncase "$*" in *racecheck*attention*) echo "a race between 1 and 2"; exit 1;; esac\n',
    "nvidia-smi": "#!/bin/sh\necho NVIDIA H200, 999.1\n",
    "nvcc": "#!/bin/sh\necho release 13.0\n",
    "qmake6": "#!/bin/sh\n",
}


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


class FirstHour(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = self.folder.name
        os.makedirs(f"{root}/kernels")
        shutil.copy(f"{ROOT}/kernels/first-hour.sh", f"{root}/kernels")
        shutil.copytree(f"{HERE}/machine_model", f"{root}/tests/bench/gpu/machine_model")
        for name, text in STUBS.items():
            write_program(f"{root}/stubs/{name}", text)
        build = f"{root}/build/first-hour"
        write_program(f"{build}/kernels/bin/conformance", "#!/bin/sh\n")
        write_program(f"{build}/kernels/bin/bench_gpu", BENCH)
        write_program(f"{build}/quire/bin/tst_cuda_models", GOLDEN)

    def run_script(self, *arguments, **environment):
        """Its status and its report."""
        root = self.folder.name
        found = subprocess.run(["bash", f"{root}/kernels/first-hour.sh", *arguments], capture_output=True, text=True, check=False,
                               env={**os.environ, "PATH": f"{root}/stubs:{os.environ['PATH']}", **environment})
        with open(f"{root}/build/first-hour/report.md", encoding="utf-8") as file:
            return found.returncode, file.read()

    def test_predictions_stand_next_to_what_was_measured(self):
        _, report = self.run_script()
        self.assertRegex(report, r"8b bf16 decode, 1 chat +[0-9.]+ +4\.5 ")
        self.assertIn("the table of bench_gpu", report)
        self.assertIn("NVIDIA H200, 999.1", report)
        self.assertIn("| golden logits | passed |", report)
        self.assertIn("| bench_gpu --quick: no kernel begins early | passed |", report)

    def test_a_failure_stops_nothing_and_is_told(self):
        status, report = self.run_script()
        self.assertEqual(status, 1)
        self.assertIn("| racecheck: attention | **failed**, status 1 |", report)
        self.assertIn("a race between 1 and 2", report)
        self.assertIn("| memcheck: embed | passed |", report)

    def test_without_a_build_there_is_a_report_too(self):
        status, report = self.run_script(no_build="1")
        self.assertEqual(status, 1)
        self.assertIn("not run: the kernels were not built", report)

    def test_no_step_begins_after_the_hour(self):
        _, report = self.run_script(QUIRE_FIRST_HOUR_S="0")
        self.assertIn("| build: configure | not run: the hour is over |", report)

    def test_quick_leaves_the_long_measurement_out(self):
        _, report = self.run_script("--quick")
        self.assertIn("| bench_gpu --quick | passed |", report)
        self.assertNotIn("| bench_gpu |", report)


if __name__ == "__main__":
    unittest.main()
