#!/usr/bin/env bash
# make-wheel.sh [ARGUMENT...]: the Python package as a wheel for the tag of the oldest Linux that it runs on, with licences and
# an SBOM, into build/packages (docs/python.md). The same commit gives the same bytes. Arguments go to pip wheel.
# QUIRE_PACKAGE_FOLDER is another folder for the wheel, QUIRE_WHEEL_PYTHON another interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
umask 022
export LC_ALL=C TZ=UTC
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
out=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages}
python=${QUIRE_WHEEL_PYTHON:-python3}
tools=build/wheel-tools-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
build=$PWD/build/wheel-$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'wheel: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

install_tools() {
  [ -x "$tools/bin/pip" ] || "$python" -m venv "$tools"
  "$tools/bin/pip" -q install -r packaging/python/requirements.txt
}

# build_wheel ARGUMENT...: as $work/raw/*.whl. PCRE2 and utf8proc are linked statically: their sonames and versions differ
# between systems.
build_wheel() {
  local pcre2
  pcre2=$(gcc -print-file-name=libpcre2-8.a)
  [ -f "$pcre2" ] || fail "there is no libpcre2-8.a here: install libpcre2-dev"
  CCACHE_BASEDIR=$PWD "$tools/bin/pip" wheel . --no-deps --no-build-isolation --wheel-dir "$work/raw" \
    -C build-dir="$build" -C cmake.define.QUIRE_PACKAGE=ON -C cmake.define.QUIRE_NEUTRAL_PATHS=ON \
    -C cmake.define.PCRE2_LIBRARY="$pcre2" "$@" >"$work/pip.log" 2>&1 || { tail -n 30 "$work/pip.log" >&2; fail "pip wheel"; }
}

# add_documents FOLDER: licences and the SBOM, into the .dist-info of the unpacked wheel.
add_documents() {
  local info version name
  info=$(echo "$1"/*.dist-info)
  version=$(sed -n 's/^Version: //p' "$info/METADATA")
  mkdir -p "$info/licenses/embedded" "$info/sboms"
  while read -r name _; do cp "/usr/share/doc/$name/copyright" "$info/licenses/embedded/$name"; done < <(grep -v '^#' packaging/python/embedded.txt)
  find "$tools"/lib/python*/site-packages/pybind11-*.dist-info -name LICENSE -exec cp {} "$info/licenses/embedded/pybind11" \;
  [ -s "$info/licenses/embedded/pybind11" ] || fail "pybind11 has no licence"
  python3 packaging/sbom.py --name quire-python --version "$version" --embedded packaging/python/embedded.txt --models "$1/quire/models" \
    --other pybind11 "$(sed -n 's/^pybind11==//p' packaging/python/requirements.txt)" BSD-3-Clause >"$info/sboms/quire.cdx.json"
  python3 packaging/check_sbom.py files --sbom "$info/sboms/quire.cdx.json" --licences "$info/licenses/embedded" "$1" >&2
}

install_tools
build_wheel "$@"
python3 packaging/check_sbom.py headers --build "$build" --embedded packaging/python/embedded.txt \
  --linked packaging/linux/linked-headers.txt >&2
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair -w "$work/repaired" "$work"/raw/quire-*.whl >"$work/auditwheel.log" 2>&1 ||
  { cat "$work/auditwheel.log" >&2; fail "auditwheel"; }
"$tools/bin/wheel" unpack -d "$work/unpacked" "$work"/repaired/quire-*.whl >/dev/null
add_documents "$(echo "$work"/unpacked/quire-*)"
mkdir -p "$out" "$work/packed"
"$tools/bin/wheel" pack -d "$work/packed" "$(echo "$work"/unpacked/quire-*)" >/dev/null
mv "$work"/packed/quire-*.whl "$out/"
say "$(find "$out" -maxdepth 1 -name 'quire-*.whl' -printf '%f: %s bytes\n' | tail -n 1)"
