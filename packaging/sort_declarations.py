#!/usr/bin/env python3
"""Sorts the declarations of registers in the C++ that Qt's QML compiler wrote, in place; times stay as they are.

Qt 6.4 and later write them in the order of addresses in memory, which differs each time, so that two builds of one commit
would differ (docs/packages.md).
"""
import os
import pathlib
import re
import sys

DECLARATION = re.compile(r"^ *[A-Za-z_][\w:<>*, ]* \*?r\d+_\d+(?: = [^;]*)?;$")


def sorted_declarations(lines):
    """The lines; those of each block of declarations in alphabetical order."""
    result, block = [], []
    for line in lines:
        if DECLARATION.match(line):
            block.append(line)
            continue
        result += sorted(block) + [line]
        block = []
    return result + sorted(block)


def sort_file(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    result = sorted_declarations(lines)
    if result != lines:
        status = path.stat()
        path.write_text("\n".join(result), encoding="utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        for file in sorted(pathlib.Path(folder).rglob("*_qml.cpp")):
            sort_file(file)
