#!/usr/bin/env bash
# check-programs.sh BUILD SYSROOT [NATIVE]: the programs for Windows under Wine, with each instruction set that this
# machine has: the kernels' conformance program, and quire-cli. NATIVE is quire-cli for this system (build/release/bin/quire-cli
# where it is built): for the same prompt both give the same bytes.
set -euo pipefail

build=$(realpath "$1") sysroot=$(realpath "$2") native=${3:-build/release/bin/quire-cli}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
wine() { "$here/run-in-wine.sh" "$sysroot" "$@" | tr -d '\r'; }
fail() { echo "check-programs.sh: $1" >&2; exit 1; }

# What both programs print for the bundled model with an instruction set. WINEDEBUG and other variables pass through.
model=$root/resources/models/quire-mini
answer() {
  local isa=$1
  shift
  QUIRE_CPU_ISA=$isa "$@" generate --model "$model" --chat --prompt "Tell me about the sea." --max-tokens 48 --seed 7
  QUIRE_CPU_ISA=$isa "$@" generate --model "$model" --prompt "Once upon a time" --max-tokens 32 --temperature 0
}

# The program refuses a name that it does not know, and says those that it knows.
names=$( (QUIRE_CPU_ISA=none wine "$build/bin/quire-cli.exe" generate --model "$model" --prompt a --max-tokens 1 2>&1 || true) |
  sed -n 's/.*it may be one of: \([^;]*\);.*/\1/p' | tr -d ,)
[ -n "$names" ] || fail "quire-cli.exe does not name its instruction sets"
for isa in $names; do
  text=$(answer "$isa" wine "$build/bin/quire-cli.exe")
  [ -n "$text" ] || fail "quire-cli.exe gives no answer with $isa"
  if [ -x "$native" ]; then
    [ "$text" = "$(answer "$isa" "$native")" ] || fail "with $isa the answer is not that of this system"
    echo "quire-cli, $isa: the same ${#text} bytes as on this system"
  else
    echo "quire-cli, $isa: ${#text} bytes"
  fi
done
wine "$build/bin/conformance.exe" || fail "a case of the conformance program failed"
