#!/usr/bin/env bash
# check-installer.sh INSTALLER SYSROOT: installs silently under Wine, lets the installed program answer, refuses an
# older version, and uninstalls, which keeps the user's files.
set -euo pipefail

installer=$(realpath "$1") sysroot=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
server=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
# Wine's server goes on writing for a moment after its programs have ended.
end() {
  WINEPREFIX=$prefix "$server" -k 2>/dev/null || true
  WINEPREFIX=$prefix timeout 20 "$server" -w 2>/dev/null || true
  rm -rf "$prefix" || true
}
trap end EXIT
wine() { WINEPREFIX=$prefix "$here/run-in-wine.sh" "$sysroot" "$@"; }
fail() { echo "check-installer.sh: $1" >&2; exit 1; }

wine "$installer" /S
programs=$(find "$prefix/drive_c/users" -type d -path '*/Local/Programs/Quire' | head -n 1)
[ -n "$programs" ] || fail "nothing was installed"
[ -e "$programs/bin/quire-cli.exe" ] || fail "quire-cli.exe was not installed"
answer=$(env -u QUIRE_BUNDLED_MODEL WINEPREFIX="$prefix" "$here/run-in-wine.sh" "$sysroot" "$programs/bin/quire-cli.exe" \
  generate --chat --prompt "What is the capital of France?" --max-tokens 16 --seed 1)
[ -n "$answer" ] || fail "the installed program does not answer"
echo "it answers: $answer"

# As if a newer version were there.
wine reg add 'HKCU\Software\Quire' /v Version /d 99.0 /f >/dev/null
if wine "$installer" /S; then fail "an older version was installed over a newer one"; fi

data=$(dirname "$(dirname "$programs")")/quire
mkdir -p "$data"
echo mine >"$data/chats.txt"
wine "$programs/Uninstall.exe" /S "_?=$(WINEPREFIX=$prefix "$here/run-in-wine.sh" "$sysroot" winepath -w "$programs" | tr -d '\r')" || true
[ ! -e "$programs/bin/quire-cli.exe" ] || fail "quire-cli.exe stayed after uninstalling"
[ -e "$data/chats.txt" ] || fail "uninstalling removed the user's data"
if wine reg query 'HKCU\Software\Quire' >/dev/null 2>&1; then fail "the registry still names Quire"; fi
echo "installed, answered, refused a downgrade, uninstalled; the data stayed"
