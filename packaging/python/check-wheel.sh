#!/usr/bin/env bash
# check-wheel.sh: tries the wheel of build/packages: auditwheel's verdict, what is in it, an answer in a new virtual
# environment outside this folder, and that building it again in an empty folder gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
wheel=$(find "${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages}" -maxdepth 1 -name 'quire-*-manylinux*.whl' | sort -V | tail -n 1)
python=${QUIRE_WHEEL_PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'check: %s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }

[ -n "$wheel" ] || fail "there is no wheel in build/packages: ./dev package wheel"
build/wheel-tools-*/bin/auditwheel show "$wheel"
! build/wheel-tools-*/bin/auditwheel show "$wheel" | grep -q 'linux_x86_64"' || fail "auditwheel finds it fit for this system only"

"$python" -m venv "$work/venv"
"$work/venv/bin/pip" -q install --no-index "$wheel"
installed=$(cd "$work" && "$work/venv/bin/python" -c 'import quire, pathlib; print(pathlib.Path(quire.__file__).parent)')
for file in licenses/LICENSE licenses/embedded/pybind11 licenses/embedded/libpcre2-dev sboms/quire.cdx.json; do
  [ -s "$(echo "$installed"/../quire-*.dist-info)/$file" ] || fail "the wheel has no $file"
done
! ldd "$installed"/_quire*.so | grep -E 'pcre2|utf8proc|not found' || fail "the module needs another library"
! grep -qaF "$PWD" "$installed"/_quire*.so || fail "the module names this folder"
answer=$(cd "$work" && "$work/venv/bin/python" -c 'from quire import LLM, SamplingParams
messages = [{"role": "user", "content": "What is the capital of France?"}]
print(LLM(device="cpu").chat(messages, SamplingParams(temperature=0))[0].outputs[0].text)')
grep -q Paris <<<"$answer" || fail "it answered: $answer"
say "in a new environment: $answer"

rm -rf build/wheel-cp*
QUIRE_PACKAGE_FOLDER=$work/again TMPDIR=$work packaging/python/make-wheel.sh
cmp "$wheel" "$work/again/$(basename "$wheel")" || fail "building it again gave different bytes"
say "all is well, and the same bytes again: $(sha256sum "$wheel" | cut -c 1-64) $(basename "$wheel")"
