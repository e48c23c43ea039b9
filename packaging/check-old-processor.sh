#!/usr/bin/env bash
# check-old-processor.sh [QUIRE-CLI]: on a processor without AVX2 (QEMU's Nehalem) Quire says so in a sentence and answers,
# with the bytes of the scalar kernels; nothing that such a processor lacks is executed. Needs qemu-user.
set -euo pipefail

cd "$(dirname "$0")/.."
program=${1:-build/release/bin/quire-cli}
fail() { echo "check-old-processor.sh: $1" >&2; exit 1; }
run() { "$@" generate --model resources/models/quire-mini --prompt "Once upon a time" --max-tokens 8 --temperature 0; }

said=$(mktemp)
trap 'rm -f "$said"' EXIT
expected=$(QUIRE_CPU_ISA=scalar run "$program" 2>/dev/null)
found=$(run qemu-x86_64 -cpu Nehalem "$program" 2>"$said") || { cat "$said" >&2; fail "it does not run"; }
[ "$found" = "$expected" ] || fail "the answer is another one: $found"
grep -q "has no AVX2" "$said" || { cat "$said" >&2; fail "it does not say that the processor has no AVX2"; }
echo "without AVX2: $(cat "$said")"
