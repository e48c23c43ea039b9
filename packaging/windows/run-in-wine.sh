#!/usr/bin/env bash
# run-in-wine.sh SYSROOT PROGRAM [ARGUMENT...]: runs a program for Windows under Wine, which finds Qt and the compiler's
# libraries in SYSROOT/bin. Wine's own folder is in SYSROOT too, and nothing of the user's is changed.
set -euo pipefail

sysroot=$(realpath "$1")
shift
export WINEPREFIX=${WINEPREFIX:-$sysroot/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES="mscoree,mshtml=" WINEPATH="Z:$sysroot/bin"
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
exec "$wine" "$@"
