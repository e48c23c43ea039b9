#!/usr/bin/env bash
# check-reproducible.sh: packs twice from one build folder (QUIRE_PACKAGE_BUILD, else build/package) and compares the bytes.
# Packs quickly: single-threaded xz gives the same bytes at any level.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export QUIRE_PACKAGE_BUILD=${QUIRE_PACKAGE_BUILD:-build/package} QUIRE_XZ_LEVEL=0
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for time in first second; do
  for kind in deb linux; do
    # Another umask, zone, language and temporary folder must not show.
    if [ "$time" = second ]; then umask 077; export TZ=Asia/Seoul LANG=de_DE.UTF-8 TMPDIR=$work; fi
    QUIRE_PACKAGE_FOLDER=$work/$time packaging/package.sh "$kind"
  done
done
diff "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || { echo "packing twice gave different bytes" >&2; exit 1; }
echo "packing twice gave the same bytes:"
cat "$work/first/SHA256SUMS"
