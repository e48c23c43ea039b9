#!/usr/bin/env bash
# package.sh: the installer for Windows from build/windows, in build/packages. Today it holds the command line and the
# demonstration model (docs/portability.md). The same sources give the same bytes.
set -euo pipefail

cd "$(dirname "$0")/../.."
build=build/windows out=build/packages
version=$(sed -n 's/^project(quire VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
files=$build/package
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

rm -rf "$files"
mkdir -p "$files"/{bin,share/quire/models,share/doc/quire/licences} "$out"
cp "$build/bin/quire-cli.exe" "$files/bin/"
x86_64-w64-mingw32-strip "$files/bin/quire-cli.exe"
for model in quire-mini quire-mini-draft; do
  cp -r "resources/models/$model" "$files/share/quire/models/"
  rm -f "$files/share/quire/models/$model"/loss.*
done
cp LICENSE "$files/share/doc/quire/"
# What quire-cli.exe is linked with: Debian's statements of the same sources, and of the compiler's libraries.
for package in libpcre2-dev libutf8proc-dev libsqlite3-dev libxxhash-dev nlohmann-json3-dev libcli11-dev libboost1.74-dev \
  libboost-dev mingw-w64-common g++-mingw-w64-x86-64-posix-runtime; do
  if [ -e "/usr/share/doc/$package/copyright" ]; then
    cp -L "/usr/share/doc/$package/copyright" "$files/share/doc/quire/licences/$package.txt"
  fi
done
find "$files" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +

installer=$PWD/$out/quire-$version-windows-x86_64-setup.exe
makensis -V2 -NOCD -DVERSION="$version" -DFILES="$PWD/$files" -DOUTPUT="$installer" packaging/windows/quire.nsi
echo "$(du -h "$installer" | cut -f1) $installer, $(du -sh "$files" | cut -f1) installed"
