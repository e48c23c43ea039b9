#!/usr/bin/env python3
"""Copies the shared libraries that the programs and plugins of a tree need into its lib folder, and makes
all of them find each other there. With --check it changes nothing and fails on what would not load elsewhere.

Names in system-libraries.txt stay the system's. Prints the Debian packages that files were copied from.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys

LATEST_VERSIONS = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_files(tree):
    return sorted(path for path in pathlib.Path(tree).rglob("*") if is_elf(path))


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(path)))


def read_patterns(path):
    lines = (line.strip() for line in pathlib.Path(path).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def is_system(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def known_libraries():
    """Where this system's loader finds each name, of 64 bits."""
    found = {}
    for name, path in re.findall(r"^\t(\S+) \(libc6,x86-64[^)]*\) => (\S+)$", output("/sbin/ldconfig", "-p"), re.MULTILINE):
        found.setdefault(name, path)
    return found


def owner(path):
    """The Debian package of a file; links of /lib to /usr/lib and of sonames are resolved."""
    for candidate in dict.fromkeys([str(path), os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")]):
        found = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0].split(",")[0]
    sys.exit("%s belongs to no Debian package, so that its licence is unknown" % path)


def collect(tree, patterns):
    """Copies what is missing until nothing is; the packages that it came from."""
    library_folder = pathlib.Path(tree) / "lib"
    library_folder.mkdir(exist_ok=True)
    known, packages, waiting = known_libraries(), set(), elf_files(tree)
    while waiting:
        file = waiting.pop()
        for name in needed(file):
            target = library_folder / name
            if is_system(name, patterns) or target.exists():
                continue
            if name not in known:
                sys.exit("%s needs %s, which is not on this machine" % (file, name))
            shutil.copyfile(os.path.realpath(known[name]), target)
            target.chmod(0o755)
            packages.add(owner(known[name]))
            waiting.append(target)
    return packages


def set_search_paths(tree):
    """DT_RPATH goes before LD_LIBRARY_PATH, so that another Qt there cannot be mixed in."""
    library_folder = pathlib.Path(tree) / "lib"
    for file in elf_files(tree):
        relative = os.path.relpath(library_folder, file.parent)
        path = "$ORIGIN" if relative == "." else "$ORIGIN/" + relative
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", path, str(file)], check=True)


def version_problems(file):
    for kind, number in set(re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\b", output("readelf", "-V", str(file)))):
        if tuple(map(int, number.split("."))) > LATEST_VERSIONS[kind]:
            yield "%s needs %s_%s, which is later than Debian 12's" % (file, kind, number)


def check(tree, patterns):
    """What is wrong with the tree, a sentence each."""
    library_folder = pathlib.Path(tree) / "lib"
    for file in elf_files(tree):
        for name in needed(file):
            if not is_system(name, patterns) and not (library_folder / name).is_file():
                yield "%s needs %s, which neither the package nor the list of system libraries has" % (file, name)
        if "$ORIGIN" not in output("readelf", "-d", str(file)):
            yield "%s does not look for libraries beside itself" % file
        yield from version_problems(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--system", required=True, help="the list of the system's libraries")
    parser.add_argument("tree")
    arguments = parser.parse_args()
    patterns = read_patterns(arguments.system)
    if arguments.check:
        problems = list(check(arguments.tree, patterns))
        print("\n".join(problems), end="\n" if problems else "")
        sys.exit(1 if problems else 0)
    packages = collect(arguments.tree, patterns)
    set_search_paths(arguments.tree)
    print("\n".join(sorted(packages)))


if __name__ == "__main__":
    main()
