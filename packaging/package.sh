#!/usr/bin/env bash
# package.sh deb|linux: builds the programs as packages hold them and packs them into build/packages
# (docs/packages.md). QUIRE_PACKAGE_BUILD names a build folder that is packed as it is, with QUIRE_PACKAGE=ON;
# QUIRE_PACKAGE_VERSION another version, QUIRE_SIGNING_KEY the key that signs the checksums. For trying it out:
# QUIRE_PACKAGE_FOLDER is another folder for the files, QUIRE_XZ_LEVEL=0 packs quickly.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kind=${1:?package.sh deb or linux}
umask 022
export LC_ALL=C TZ=UTC
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export QUIRE_VERSION=${QUIRE_PACKAGE_VERSION:-$(sed -n 's/^project(quire VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)}
export QUIRE_OUT=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages} QUIRE_XZ_LEVEL=${QUIRE_XZ_LEVEL:-6}
build=${QUIRE_PACKAGE_BUILD:-}

say() { printf 'package: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Everything below FOLDER gets the commit's time.
clamp_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

build_programs() {
  build=build/package
  cmake --preset package ${QUIRE_CUDA:+-DQUIRE_CUDA="$QUIRE_CUDA"} \
    ${QUIRE_CUDA_ARCHITECTURES:+-DQUIRE_CUDA_ARCHITECTURES="$QUIRE_CUDA_ARCHITECTURES"} >build/package-configure.log ||
    fail "cmake could not configure build/package: see build/package-configure.log"
  local targets=(quire quire-cli quire-inspect)
  if grep -q 'CUDA backend: built' build/package-configure.log; then targets+=(quire_cuda); fi
  cmake --build "$build" --target "${targets[@]}"
}

# stage_programs FOLDER: the installed tree, stripped, with icons of all sizes.
stage_programs() {
  cmake --install "$build" --prefix "$1" --strip >/dev/null
  local size
  for size in 16 22 24 32 48 64 128 256 512; do
    mkdir -p "$1/share/icons/hicolor/${size}x$size/apps"
    rsvg-convert -w "$size" -h "$size" resources/icons/app/quire.svg -o "$1/share/icons/hicolor/${size}x$size/apps/quire.png"
  done
  gzip -9n "$1"/share/man/man1/*.1
}

# stage_cuda FOLDER: the CUDA backend; fails where this build has none.
stage_cuda() {
  [ -e "$build/bin/libquire_cuda.so" ] || return 1
  cmake --install "$build" --prefix "$1" --component cuda --strip >/dev/null
}

write_checksums() {
  (cd "$QUIRE_OUT" && find . -maxdepth 1 -type f \( -name '*.deb' -o -name '*.run' -o -name '*.tar.xz' -o -name '*.whl' \) \
    -printf '%f\n' | sort | xargs -r sha256sum >SHA256SUMS)
  if [ -n "${QUIRE_SIGNING_KEY:-}" ]; then
    gpg --batch --yes --local-user "$QUIRE_SIGNING_KEY" --armor --detach-sign "$QUIRE_OUT/SHA256SUMS"
  else
    rm -f "$QUIRE_OUT/SHA256SUMS.asc"
  fi
}

[ -n "$build" ] || build_programs
grep -q '^QUIRE_PACKAGE:BOOL=ON' "$build/CMakeCache.txt" || fail "$build was not configured with QUIRE_PACKAGE=ON"
mkdir -p "$QUIRE_OUT"
work=$(mktemp -d "${TMPDIR:-/tmp}/quire-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export QUIRE_CUDA_GPUS
QUIRE_CUDA_GPUS=$(sed -n 's/^QUIRE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt")
case $kind in
  deb) . packaging/linux/make-deb.sh ;;
  linux) . packaging/linux/make-run.sh ;;
  *) fail "package.sh takes deb or linux" ;;
esac
write_checksums
