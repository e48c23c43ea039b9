#!/usr/bin/env python3
"""Fails where something of others' is in a package and not in its bill of materials (packaging/sbom.py).

headers: every Debian package of which the programs' sources read a header is named in embedded.txt, or in
linked-headers.txt because its library is loaded when the program starts.
files: every library, plugin, QML file and font in a tree is of a package that the SBOM says is contained, and each
contained package has a file with its licence.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys


def package_files(info, package):
    """The files of an installed package, by dpkg's own lists."""
    for name in (package, package + ":amd64"):
        path = info / (name + ".list")
        if path.is_file():
            return path.read_text().splitlines()
    return []


def names_in(path):
    lines = (line.strip() for line in pathlib.Path(path).read_text().splitlines())
    return {line.split(" ")[0] for line in lines if line and not line.startswith("#")}


def headers_read(build):
    """The system's headers that the programs' objects read, without those of the tests."""
    found = set()
    of_program = False
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout.split("\n"):
        if not line.startswith(" "):
            of_program = line.endswith("(VALID)") and not line.startswith(("tests/", "app/python/", "kernels/cuda/", "build/"))
        elif of_program and line.strip().startswith("/usr/include/"):
            found.add(line.strip())
    return found


def owners(files, info):
    """The packages that files belong to; files of no package are left out."""
    real = {os.path.realpath(file) for file in files} | set(files)
    found = set()
    for path in sorted(info.glob("*.list")):
        if real.intersection(path.read_text().splitlines()):
            found.add(path.name.removesuffix(".list").split(":")[0])
    return found


def check_headers(arguments, info):
    files = headers_read(arguments.build)
    if not files:
        yield "%s has no record of the headers that were read: build it with ninja first" % arguments.build
    known = names_in(arguments.embedded) | names_in(arguments.linked)
    for package in sorted(owners(files, info)):
        if not any(fnmatch.fnmatch(package, pattern) for pattern in known):
            yield ("headers of %s are read: name it in embedded.txt if it gets into the programs, else in "
                   "linked-headers.txt" % package)


def collected_files(tree):
    """What may come from others: all below lib/ but Quire's own, and the fonts."""
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree).as_posix()
        if path.is_file() and re.match(r"lib(64)?/(?!quire/libquire_)|share/quire/fonts/", relative):
            yield relative


def check_files(arguments, info):
    parts = json.loads(pathlib.Path(arguments.sbom).read_text())["components"]
    contained = [part["name"] for part in parts if part.get("purl", "").startswith("pkg:deb/") and
                 {"name": "quire:contained", "value": "true"} in part["properties"]]
    known = {line for package in contained for line in package_files(info, package)}
    names = {os.path.basename(line) for line in known}
    qt_files = {line.split("/qt6/", 1)[1] for line in known if "/qt6/" in line}
    for relative in collected_files(arguments.tree):
        of_qt = relative.removeprefix("lib/qt/") if relative.startswith("lib/qt/") else ""
        if (of_qt not in qt_files) if of_qt else (os.path.basename(relative) not in names):
            yield "%s is of no package that the SBOM says is contained" % relative
    for package in contained:
        if not (arguments.licences / package).is_file():
            yield "%s is contained, but %s has no licence of it" % (package, arguments.licences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--info", type=pathlib.Path, default=pathlib.Path("/var/lib/dpkg/info"), help="dpkg's lists of files")
    kinds = parser.add_subparsers(required=True)
    headers = kinds.add_parser("headers")
    headers.add_argument("--build", required=True, help="a build folder of ninja's")
    headers.add_argument("--embedded", required=True)
    headers.add_argument("--linked", required=True)
    headers.set_defaults(check=check_headers)
    files = kinds.add_parser("files")
    files.add_argument("--sbom", required=True)
    files.add_argument("--licences", type=pathlib.Path, required=True, help="folder with a file for each package")
    files.add_argument("tree", type=pathlib.Path)
    files.set_defaults(check=check_files)
    arguments = parser.parse_args()
    problems = list(arguments.check(arguments, arguments.info))
    for problem in problems:
        print("check_sbom.py: " + problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
