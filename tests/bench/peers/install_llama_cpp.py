"""Builds llama.cpp from the source that the PyPI package llama-cpp-python carries.

A build lies in FOLDER/llama.cpp-<isa>: its source, CMake's build folder (so that an interrupted
build goes on where it was) and a Python environment of its own. What is built already is used again
unless the version, the options or the compiler changed. Everything stays inside FOLDER.

    python3 install_llama_cpp.py FOLDER ISA...    to build ahead of a measurement
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

VERSION = "0.3.36"
PACKAGES = ["numpy==2.1.3", "diskcache==5.6.3", "jinja2==3.1.6", "typing-extensions==4.14.1"]

# llama.cpp as its own build has it, but without the parts that the measurement does not call. The
# instruction sets are all named, so that a default that changes cannot change a comparison.
COMMON_OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "LLAVA_BUILD": "OFF",
    "LLAMA_BUILD_TESTS": "OFF",
    "LLAMA_BUILD_TOOLS": "OFF",
    "LLAMA_BUILD_EXAMPLES": "OFF",
    "LLAMA_BUILD_SERVER": "OFF",
    "LLAMA_OPENSSL": "OFF",
    "GGML_CPU_REPACK": "ON",
    "GGML_LLAMAFILE": "ON",
    "GGML_OPENMP": "ON",
    "GGML_BLAS": "OFF",
    "GGML_CUDA": "OFF",
    "GGML_VULKAN": "OFF",
}
AVX2 = ["SSE42", "AVX", "AVX2", "FMA", "F16C", "BMI2"]
BEYOND_AVX2 = ["AVX_VNNI", "AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16",
               "AMX_TILE", "AMX_INT8", "AMX_BF16"]


def instructions(*beyond_avx2):
    """AVX2 and these."""
    return {"GGML_NATIVE": "OFF", **{f"GGML_{name}": "ON" for name in AVX2},
            **{f"GGML_{name}": "ON" if name in beyond_avx2 else "OFF" for name in BEYOND_AVX2}}


# By the names of QUIRE_CPU_ISA, so that one name is for both programs.
ISA_OPTIONS = {
    "native": {"GGML_NATIVE": "ON"},
    "avx2": instructions(),
    "avx2_vnni": instructions("AVX_VNNI"),
    "avx512": instructions("AVX512"),
    "avx512_vnni": instructions("AVX512", "AVX512_VBMI", "AVX512_VNNI"),
    "avx512_vbmi": instructions("AVX512", "AVX512_VBMI", "AVX512_VNNI"),
    "avx512_bf16": instructions("AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16"),
    "amx": instructions("AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16", "AMX_TILE",
                        "AMX_INT8", "AMX_BF16"),
}


def run(command, **options):
    print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
    subprocess.run(command, check=True, stdout=sys.stderr, **options)


def compiler_version():
    compiler = os.environ.get("CXX", "c++")
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


def wanted(isa):
    """What a build is made of: it is made again when this changes."""
    return {"version": VERSION, "isa": isa, "options": COMMON_OPTIONS | ISA_OPTIONS[isa],
            "compiler": compiler_version()}


def keep_tile_config(source):
    """Debian 12's GCC takes _tile_loadconfig() to read eight bytes and drops the stores of the other 56,
    so that llama.cpp's first product with AMX ends in an illegal instruction. Where the address
    escapes, it keeps them."""
    path = source / "vendor/llama.cpp/ggml/src/ggml-cpu/amx/mmq.cpp"
    text = path.read_text()
    call = "_tile_loadconfig(&tc);"
    if call not in text:
        raise OSError(f"{path} has no {call}")
    path.write_text(text.replace(call, f'asm volatile("" : : "r"(&tc) : "memory"); {call}'))


def fetch_source(python, folder):
    """The package's source in FOLDER/source, from PyPI."""
    downloads = folder / "download"
    found = list(downloads.glob("llama_cpp_python-*.tar.gz"))
    if not found:
        run([python, "-m", "pip", "download", "--quiet", "--no-deps",
             "--no-binary", "llama-cpp-python", "--dest", downloads,
             f"llama-cpp-python=={VERSION}"])
        found = list(downloads.glob("llama_cpp_python-*.tar.gz"))
    unpacked = folder / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    with tarfile.open(found[0]) as archive:
        archive.extractall(unpacked, filter="data")
    next(unpacked.iterdir()).rename(folder / "source")
    unpacked.rmdir()
    keep_tile_config(folder / "source")


def build(isa, folder, jobs):
    """Into `folder`, with `jobs` compilers at a time."""
    python = folder / "venv/bin/python"
    if not python.exists():
        run([sys.executable, "-m", "venv", folder / "venv"])
    if not (folder / "source").exists():
        fetch_source(python, folder)
    run([python, "-m", "pip", "install", "--quiet", *PACKAGES])
    options = COMMON_OPTIONS | ISA_OPTIONS[isa]
    if ccache := shutil.which("ccache"):
        options = options | {"CMAKE_C_COMPILER_LAUNCHER": ccache,
                             "CMAKE_CXX_COMPILER_LAUNCHER": ccache}
    environment = os.environ | {
        "CMAKE_ARGS": " ".join(f"-D{name}={value}" for name, value in options.items()),
        "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs),
        "CCACHE_BASEDIR": str(folder),
    }
    # pip would take a wheel of other options from its cache: it does not look at CMAKE_ARGS.
    run([python, "-m", "pip", "install", "--verbose", "--no-deps", "--no-cache-dir",
         "--force-reinstall", "--config-settings", f"build-dir={folder / 'build'}",
         folder / "source"], env=environment)


def install(isa, peers_folder, jobs):
    """The Python that has llama.cpp built for `isa`, and what it is made of."""
    folder = pathlib.Path(peers_folder).resolve() / f"llama.cpp-{isa}"
    made_of = folder / "made_of.json"
    want = wanted(isa)
    if made_of.exists() and json.loads(made_of.read_text()) == want:
        return folder / "venv/bin/python", want
    if made_of.exists():  # Of other things; an unfinished build has no such file and goes on.
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    build(isa, folder, jobs)
    made_of.write_text(json.dumps(want, indent=1))
    return folder / "venv/bin/python", want


if __name__ == "__main__":
    for name in sys.argv[2:]:
        print(install(name, sys.argv[1], os.cpu_count())[0])
