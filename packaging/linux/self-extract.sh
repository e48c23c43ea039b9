#!/bin/sh
# Quire for Linux: this script, then an archive of the program (docs/packages.md). Without an option of the package
# it runs Quire from a folder of the cache and installs nothing.
set -eu
version=@VERSION@
digest=@DIGEST@
archive_line=@LINES@
umask 022

usage() {
  cat <<'EOF'
quire-*.run [ARGUMENTS]        runs Quire's window without installing it; arguments go to quire
  --cli [ARGUMENTS]            runs quire-cli instead
  --install [--force]          installs or upgrades Quire in ~/.local/opt/quire, for this user alone
  --uninstall [--keep-data | --delete-data]   removes it; chats and downloaded models are kept unless you say otherwise
  --verify                     says whether this file is whole
  --extract FOLDER             unpacks it into FOLDER/quire
  --package-version            the version in this file
EOF
}

fail() { echo "Quire: $*" >&2; exit 1; }

archive() { tail -n +"$archive_line" "$0"; }

verify() {
  command -v sha256sum >/dev/null || fail "sha256sum is missing: install coreutils."
  [ "$(archive | sha256sum | cut -d ' ' -f 1)" = "$digest" ] ||
    fail "this file is damaged or incomplete. Download it again."
}

check_system() {
  [ "$(uname -m)" = x86_64 ] || fail "this file is for x86-64 processors, and this is $(uname -m)."
  command -v xz >/dev/null || fail "xz is missing: install xz-utils (on Fedora and Arch: xz)."
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) || libc=
  [ -n "$libc" ] || fail "this system's C library is not glibc, which Quire needs in version 2.36 or later."
  [ "$(printf '2.36\n%s\n' "$libc" | sort -V | head -n 1)" = 2.36 ] ||
    fail "this system has glibc $libc, and Quire needs 2.36 or later (Debian 12, Ubuntu 22.10, Fedora 37)."
}

# unpack FOLDER: into FOLDER/quire.
unpack() {
  check_system
  verify
  mkdir -p "$1" || fail "the folder $1 cannot be made."
  archive | xz -dc | tar -C "$1" -xf - || fail "$1 has no room for Quire, or cannot be written."
}

# run PROGRAM [ARGUMENT...]: unpacked once for each version; a half unpacked folder is never used.
run() {
  program=$1
  shift
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/quire/run-$(printf %.16s "$digest")
  if [ ! -x "$folder/quire/bin/quire" ]; then
    mkdir -p "${folder%/*}" || fail "the folder ${folder%/*} cannot be made."
    fresh=$(mktemp -d "$folder.XXXXXX")
    trap 'rm -rf "$fresh"' EXIT INT TERM
    unpack "$fresh"
    mv -T "$fresh" "$folder" 2>/dev/null || [ -x "$folder/quire/bin/quire" ] || fail "$folder cannot be written."
    rm -rf "$fresh"
    trap - EXIT INT TERM
  fi
  exec "$folder/quire/bin/$program" "$@"
}

# with_installer ACTION [OPTION...]: unpacks beside the place of the installation, so that a rename installs it.
with_installer() {
  opt=$HOME/.local/opt
  mkdir -p "$opt" || fail "the folder $opt cannot be made."
  fresh=$(mktemp -d "$opt/.quire-new.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT INT TERM
  unpack "$fresh"
  sh "$fresh/quire/uninstall" "$@"
}

case ${1:-} in
  --install) shift; with_installer --install "$@" ;;
  --uninstall)
    shift
    [ -x "$HOME/.local/opt/quire/uninstall" ] || fail "Quire is not installed in $HOME/.local/opt/quire."
    exec "$HOME/.local/opt/quire/uninstall" "$@"
    ;;
  --verify) verify; echo "This file is whole: Quire $version." ;;
  --extract) [ $# = 2 ] || fail "--extract takes a folder."; unpack "$2" ;;
  --package-version) echo "$version" ;;
  --package-help) usage ;;
  --cli) shift; run quire-cli "$@" ;;
  *) run quire "$@" ;;
esac
exit
