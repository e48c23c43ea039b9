#!/usr/bin/env python3
"""Writes a software bill of materials, CycloneDX 1.5 JSON, of a Linux package to standard output.

Versions come from dpkg, licences from the packages' copyright files. The same input gives the same bytes.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid


def dpkg_field(package, field):
    """A field of an installed package; the package may be a virtual one's name, which gives ""."""
    found = subprocess.run(["dpkg-query", "-W", "-f", "${%s}\n" % field, package], capture_output=True, text=True)
    return found.stdout.split("\n")[0]


def licences(package):
    """The names of all licences in the package's copyright file; CycloneDX takes any name."""
    file = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not file.is_file():
        return []
    text = file.read_text(encoding="utf-8", errors="replace")
    names = set(re.findall(r"^License: *(\S.*?) *$", text, re.MULTILINE))
    return sorted(names) or ["see licenses/%s" % package]


def debian_component(package, role, contained):
    version = dpkg_field(package, "Version")
    if not version:
        sys.exit("sbom.py: the package %s is not installed here, so that its version is unknown" % package)
    return {
        "type": "library",
        "bom-ref": "deb/%s" % package,
        "name": package,
        "version": version,
        "scope": "required",
        "licenses": [{"license": {"name": name}} for name in licences(package)],
        "purl": "pkg:deb/debian/%s@%s?arch=%s" % (package, version.replace(":", "%3A").replace("+", "%2B"),
                                              dpkg_field(package, "Architecture")),
        "properties": [{"name": "quire:role", "value": role},
                       {"name": "quire:contained", "value": "true" if contained else "false"}],
    }


def model_component(folder):
    weights = folder / "model.safetensors"
    return {
        "type": "machine-learning-model",
        "bom-ref": "model/%s" % folder.name,
        "name": folder.name,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(weights.read_bytes()).hexdigest()}],
        "properties": [{"name": "quire:role", "value": "bundled model"}, {"name": "quire:contained", "value": "true"}],
    }


def other_component(name, version, licence):
    return {
        "type": "library",
        "bom-ref": "other/%s" % name,
        "name": name,
        "version": version,
        "licenses": [{"license": {"name": licence}}],
        "properties": [{"name": "quire:role", "value": "static library"}, {"name": "quire:contained", "value": "true"}],
    }


def read_embedded(path):
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split(" ", 1)


def components(arguments):
    found = {}
    for package, role in read_embedded(arguments.embedded) if arguments.embedded else []:
        found[package] = debian_component(package, role, True)
    for package in arguments.contained:
        found.setdefault(package, debian_component(package, "copied", True))
    for package in arguments.needed:
        found.setdefault(package, debian_component(package, "dependency", False))
    weights = sorted(pathlib.Path(arguments.models).glob("*/model.safetensors")) if arguments.models else []
    others = [other_component(*other) for other in arguments.other]
    return [found[package] for package in sorted(found)] + others + [model_component(path.parent) for path in weights]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--name", default="quire", help="of the package")
    parser.add_argument("--embedded", help="list of what is compiled into the programs")
    parser.add_argument("--models", help="folder of the bundled models")
    parser.add_argument("--other", nargs=3, action="append", default=[], metavar=("NAME", "VERSION", "LICENCE"),
                        help="a library that is of no Debian package")
    parser.add_argument("--contained", nargs="*", default=[], help="Debian packages that files were copied from")
    parser.add_argument("--needed", nargs="*", default=[], help="Debian packages that the package depends on")
    arguments = parser.parse_args()
    parts = components(arguments)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    content = json.dumps([arguments.version, parts], sort_keys=True)
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, content),
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {"type": "application", "bom-ref": arguments.name, "name": arguments.name, "version": arguments.version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": parts,
        "dependencies": [{"ref": arguments.name, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    json.dump(bom, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
