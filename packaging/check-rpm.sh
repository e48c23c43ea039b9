#!/usr/bin/env bash
# check-rpm.sh: tries the rpm packages of build/packages: their files are the deb's, rpmlint has nothing to say, and in a
# new folder with rpm's database they are installed, upgraded, not downgraded, and removed. Needs no root.
# QUIRE_PACKAGE_BUILD as for packaging/package.sh, which packs an older version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'check: %s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }

latest() { find "$packages" -name "$1" | sort -V | tail -n 1; }

# content FOLDER: a line for each file, without the licences, which each kind of package has in its own form.
content() { (cd "$1" && find usr -type f -not -path 'usr/share/doc/*' -not -path 'usr/share/licenses/*' | sort | xargs -d '\n' sha256sum); }

# same_files RPM DEB
same_files() {
  mkdir -p "$work/from-rpm" "$work/from-deb"
  (cd "$work/from-rpm" && rpm2cpio "$1" | cpio -id --quiet)
  dpkg-deb -x "$2" "$work/from-deb"
  diff <(content "$work/from-rpm") <(content "$work/from-deb") >"$work/difference" ||
    { head -n 5 "$work/difference"; fail "$1 and $2 hold different files"; }
  say "$(content "$work/from-rpm" | wc -l) files are the same bytes in $(basename "$1") and $(basename "$2")"
  rm -rf "$work/from-rpm" "$work/from-deb"
}

# in_root ARGUMENT...: rpm with a database of its own. What Fedora and openSUSE have is not there.
in_root() { rpm --root "$work/root" --nodeps "$@" 2>&1; }

installs_and_upgrades() {
  local rpm=$1 older text
  QUIRE_PACKAGE_FOLDER=$work/older QUIRE_PACKAGE_VERSION=0.0.1 QUIRE_XZ_LEVEL=0 packaging/package.sh rpm 2>"$work/package.log" ||
    { cat "$work/package.log"; fail "an older version could not be packed"; }
  older=$work/older/quire-0.0.1-1.x86_64.rpm
  mkdir -p "$work/root/home/tester/.local/share/quire"
  echo chats >"$work/root/home/tester/.local/share/quire/quire.db"
  in_root -i "$older" || fail "it could not be installed"
  [ -x "$work/root/usr/bin/quire" ] && in_root -V quire || fail "it is not whole"
  in_root -U "$rpm" || fail "it could not be upgraded"
  if text=$(in_root -U "$older"); then fail "an older version replaced it"; fi
  say "rpm refuses a downgrade: $(tail -n 1 <<<"$text")"
  in_root -V quire || fail "the upgraded package is not whole"
  in_root -e quire || fail "it could not be removed"
  [ -z "$(find "$work/root" -path '*quire*' -not -path '*/home/*' -print -quit)" ] || fail "left behind: $(find "$work/root" -path '*quire*')"
  [ -f "$work/root/home/tester/.local/share/quire/quire.db" ] || fail "the chats are gone"
  say "installed, upgraded and removed; the chats are kept"
}

rpm=$(latest 'quire-[0-9]*.rpm')
[ -n "$rpm" ] || fail "there is no rpm in $packages: ./dev package rpm"
rpm -K --nosignature "$rpm" >/dev/null || fail "$rpm is damaged"
same_files "$rpm" "$(latest 'quire_*.deb')"
if command -v rpmlint >/dev/null; then rpmlint --strict -c packaging/linux/rpmlint.toml "$packages"/quire*.rpm || fail "rpmlint"; fi
installs_and_upgrades "$rpm"
say "all is well: $(basename "$rpm")"
