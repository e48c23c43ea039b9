#!/usr/bin/env bash
# check-reproducible.sh [KIND...]: packs twice from one build folder (QUIRE_PACKAGE_BUILD, else build/package) and compares
# the bytes; with QUIRE_SECOND_BUILD, the second time from that folder. Packs quickly: single-threaded xz gives the same
# bytes at any level.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export QUIRE_PACKAGE_BUILD=${QUIRE_PACKAGE_BUILD:-build/package} QUIRE_XZ_LEVEL=0
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
[ $# -gt 0 ] || set -- deb rpm linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
QUIRE_PACKAGE_FOLDER=$work/first packaging/package.sh "$@"
# Another umask, zone, language and temporary folder must not show.
umask 077
QUIRE_PACKAGE_BUILD=${QUIRE_SECOND_BUILD:-$QUIRE_PACKAGE_BUILD} QUIRE_PACKAGE_FOLDER=$work/second TZ=Asia/Seoul \
  LANG=de_DE.UTF-8 TMPDIR=$work packaging/package.sh "$@"
diff "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || { echo "packing twice gave different bytes" >&2; exit 1; }
echo "packing twice gave the same bytes:"
cat "$work/first/SHA256SUMS"
