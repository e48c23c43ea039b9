#!/usr/bin/env python3
"""Reads the CUDA sources with clang's front end, as a second opinion on what nvcc accepts.

    tests/kernels/cuda/check_with_clang.py [--clang clang++-19] [--build build/release] [NAME...]

Each source, or each whose path has one of the words, is read as host code and as device code for the oldest and for a
newer architecture, with warnings as errors; nothing is generated. Sources are those of a build folder's
compile_commands.json, which has the instances of the templates too; they need not be compiled. (With QUIRE_QUICK_BUILD
several of them are one source, whose names may hide each other.)

Needs clang 15 or newer (14 does not know __noinline__) and the headers of a CUDA toolkit. A toolkit that is newer than
clang lacks a header that clang includes, and clang replaces a header of the toolkit without all its functions: both are
supplied here.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

# In place of <sm_32_intrinsics.h> clang has a header of its own, which lacks loads that are used once.
SUPPLEMENT = """
#pragma once
template <typename T>
__device__ T __ldcs(const T* from) { return *from; }
"""


def version_of(clang):
    text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"version (\d+)", text).group(1))


def sources_of(build, words):
    with open(os.path.join(build, "compile_commands.json")) as file:
        paths = sorted({entry["file"] for entry in json.load(file) if entry["file"].endswith(".cu")})
    return [path for path in paths if not words or any(word in path for word in words)]


def sides(version):
    """Clang knows sm_90 since version 16."""
    newer = "sm_90" if version >= 16 else "sm_86"
    return [["--cuda-host-only"]] + [["--cuda-device-only", f"--cuda-gpu-arch={name}"] for name in ("sm_75", newer)]


def read(clang, options, source, side):
    command = [clang, *options, *side, source]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clang", default="clang++")
    parser.add_argument("--toolkit", default="/usr/local/cuda")
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    version = version_of(arguments.clang)
    sources = sources_of(arguments.build, arguments.names)
    if not sources:
        sys.exit("no source")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        open(os.path.join(folder, "texture_fetch_functions.h"), "w").close()  # Gone from CUDA 13, and not used here.
        with open(os.path.join(folder, "supplement.h"), "w") as file:
            file.write(SUPPLEMENT)
        options = ["-x", "cuda", f"--cuda-path={arguments.toolkit}", "-std=c++20", "-fsyntax-only", "-isystem", folder,
                   "-include", os.path.join(folder, "supplement.h"), "-I" + ROOT,
                   '-DQUIRE_CUBLAS_FOLDER=""',  # Of a benchmark.
                   "-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__",  # Of textures, of which CUDA 13 has other headers.
                   "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Wno-unknown-cuda-version",
                   # Architectures without bf16 have functions whose bodies are empty.
                   "-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-unknown-warning-option",
                   "-Wno-missing-designated-field-initializers",
                   "-Wno-unknown-attributes"]  # __grid_constant__, which clang 19 does not know.
        tasks = {(source, tuple(side)): pool.submit(read, arguments.clang, options, source, side)
                 for source in sources for side in sides(version)}
        failed = 0
        for (source, side), task in tasks.items():
            done = task.result()
            if done.returncode != 0:
                failed += 1
                print(os.path.relpath(source, ROOT), *side, done.stderr, sep="\n", flush=True)
    print(f"clang {version}: {len(sources)} sources, {len(tasks)} readings, {failed} with errors or warnings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
