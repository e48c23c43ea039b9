#!/usr/bin/env bash
# package.sh KIND...: builds the programs as packages hold them and packs them into build/packages; kinds are deb, rpm
# and linux (docs/packages.md). QUIRE_PACKAGE_BUILD names a build folder that is packed as it is, with QUIRE_PACKAGE=ON;
# QUIRE_PACKAGE_VERSION another version, QUIRE_SIGNING_KEY the key that signs the checksums. For trying it out:
# QUIRE_PACKAGE_FOLDER is another folder for the files, QUIRE_XZ_LEVEL=0 packs quickly.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -gt 0 ] || { echo "package.sh takes deb, rpm or linux" >&2; exit 1; }
umask 022
export LC_ALL=C TZ=UTC
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export QUIRE_VERSION=${QUIRE_PACKAGE_VERSION:-$(sed -n 's/^project(quire VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)}
export QUIRE_OUT=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages} QUIRE_XZ_LEVEL=${QUIRE_XZ_LEVEL:-6}
build=${QUIRE_PACKAGE_BUILD:-}
maintainer=${QUIRE_MAINTAINER:-Quire developers <developers@quire.invalid>}

say() { printf 'package: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Everything below FOLDER gets the commit's time.
clamp_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

build_programs() {
  build=build/package
  mkdir -p build
  cmake --preset package ${QUIRE_CUDA:+-DQUIRE_CUDA="$QUIRE_CUDA"} \
    ${QUIRE_CUDA_ARCHITECTURES:+-DQUIRE_CUDA_ARCHITECTURES="$QUIRE_CUDA_ARCHITECTURES"} >build/package-configure.log ||
    fail "cmake could not configure build/package: see build/package-configure.log"
  local targets=(quire quire-cli quire-inspect)
  if grep -q 'CUDA backend: built' build/package-configure.log; then targets+=(quire_cuda); fi
  # The time is that of resources in the programs. It is always the same, so that what an earlier commit compiled fits. With
  # the base folder, ccache has the objects for any build folder.
  export CCACHE_BASEDIR=$PWD
  local qml
  mapfile -t qml < <(ninja -C "$build" -t targets all | sed -n 's/^\([^ /][^ ]*_qml\.cpp\): .*/\1/p')
  SOURCE_DATE_EPOCH=1 cmake --build "$build" --target "${qml[@]}"
  python3 packaging/sort_declarations.py "$build"
  SOURCE_DATE_EPOCH=1 cmake --build "$build" --target "${targets[@]}"
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

# write_cuda_sbom FILE: NVIDIA's runtime is linked statically.
write_cuda_sbom() {
  local nvcc
  nvcc=$(sed -n 's/^QUIRE_NVCC:FILEPATH=//p' "$build/CMakeCache.txt")
  python3 packaging/sbom.py --name quire-cuda --version "$QUIRE_VERSION" \
    --other cudart "$("$nvcc" --version | sed -n 's/.* V\([0-9.]*\)$/\1/p')" "CUDA Toolkit End User License Agreement" >"$1"
}

write_checksums() {
  (cd "$QUIRE_OUT" && find . -maxdepth 1 -type f \( -name '*.deb' -o -name '*.rpm' -o -name '*.run' -o -name '*.tar.xz' -o -name '*.whl' \) \
    -printf '%f\n' | sort | xargs -r sha256sum >SHA256SUMS)
  if [ -n "${QUIRE_SIGNING_KEY:-}" ]; then
    gpg --batch --yes --local-user "$QUIRE_SIGNING_KEY" --armor --detach-sign "$QUIRE_OUT/SHA256SUMS"
  else
    rm -f "$QUIRE_OUT/SHA256SUMS.asc"
  fi
}

for kind in "$@"; do
  [ -f "packaging/linux/make-$kind.sh" ] || fail "package.sh takes deb, rpm or linux, not '$kind'"
done
[ -n "$build" ] || build_programs
grep -q '^QUIRE_PACKAGE:BOOL=ON' "$build/CMakeCache.txt" || fail "$build was not configured with QUIRE_PACKAGE=ON"
mkdir -p "$QUIRE_OUT"
export QUIRE_CUDA_GPUS
QUIRE_CUDA_GPUS=$(sed -n 's/^QUIRE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt")
python3 packaging/check_sbom.py headers --build "$build" --embedded packaging/linux/embedded.txt \
  --linked packaging/linux/linked-headers.txt >&2
for kind in "$@"; do
  work=$(mktemp -d "${TMPDIR:-/tmp}/quire-package.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"
  . "packaging/linux/make-$kind.sh"
  rm -rf "$work"
done
write_checksums
