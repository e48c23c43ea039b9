#!/usr/bin/env bash
# make-sysroot.sh ARCHITECTURE FOLDER PACKAGE...: Debian's packages of another architecture and what
# they depend on, unpacked in FOLDER for a cross compiler. Needs no root and installs nothing: apt-get
# works on a state of its own below FOLDER, from this machine's own package sources. A package after
# a plus sign ("+qt6-base-dev") comes without what it depends on.
set -euo pipefail

architecture=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
state=$folder/var/apt
wanted=$folder/unpacked-packages
if [ "$(cat "$wanted" 2>/dev/null)" = "$*" ]; then exit 0; fi

mkdir -p "$state"/{state/lists/partial,cache/archives/partial}
: >"$state/status"
apt=(-q -y -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
  -o "Dir::State=$state/state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
  -o Debug::NoLocking=1 -o APT::Sandbox::User=)

whole=() alone=()
for name in "$@"; do
  case $name in
    +*) alone+=("${name#+}") ;;
    *) whole+=("$name") ;;
  esac
done
apt-get "${apt[@]}" update >"$state/log"
apt-get "${apt[@]}" install --download-only --no-install-recommends "${whole[@]}" >>"$state/log"
if [ ${#alone[@]} -gt 0 ]; then
  (cd "$state/cache/archives" && apt-get "${apt[@]}" download "${alone[@]}") >>"$state/log"
fi

# Debian's own layout: /lib is /usr/lib.
mkdir -p "$folder/usr/lib"
ln -sfn usr/lib "$folder/lib"
for package in "$state"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink
done
# Links to the root of a file system are to the root of this one.
find "$folder/usr" -type l -lname '/*' | while read -r link; do
  ln -sfn "$folder$(readlink "$link")" "$link"
done
rm -rf "$state/cache"
echo "$*" >"$wanted"
