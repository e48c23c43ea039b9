# Sourced by check-packages.sh and newcomer.sh: new Debian systems in folders. Base systems are kept in QUIRE_CHECK_ROOTS
# (/tmp/quire-roots). Needs root and the section [package] of debian-packages.txt.
roots=${QUIRE_CHECK_ROOTS:-/tmp/quire-roots}
mkdir -p "$roots"

# What any desktop has.
desktop_libraries=(libegl1 libgl1 libopengl0 libx11-6 libx11-xcb1 libxext6 libice6 libsm6 libxcb1 libxcb-dri3-0 libxcb-glx0
  libxcb-present0 libxcb-randr0 libxcb-render0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libwayland-client0
  libwayland-cursor0 libwayland-egl1 libfontconfig1 libfreetype6 libharfbuzz0b libexpat1 zlib1g libdbus-1-3 libglib2.0-0
  libudev1 libssl3 xkb-data fonts-dejavu-core xz-utils)

say() { printf 'check: %s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }

# inside ROOT COMMAND...: as root in that system, with its own /proc; nothing stays mounted. The folder is mounted on itself,
# so that the system has a file system at "/" whose free space programs find.
inside() {
  local root=$1
  shift
  unshare -m bash -c 'set -e; mount --make-rprivate /; mount --bind "$0" "$0"; mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
    mkdir -p "$0/tmp/.X11-unix"; mount --bind /tmp/.X11-unix "$0/tmp/.X11-unix"; exec chroot "$0" "$@"' "$root" "$@"
}

# as_user ROOT COMMAND: a shell command of an ordinary user.
as_user() { inside "$1" su - tester -c "export DISPLAY=$display LC_ALL=C.UTF-8; $2"; }

# apt_in ROOT ARGUMENT...
apt_in() {
  local root=$1
  shift
  inside "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@" >>"$roots/apt.log" 2>&1 ||
    { tail -n 20 "$roots/apt.log"; fail "apt-get $* in $root"; }
}

make_base() {
  local suite=$1 mirror=http://deb.debian.org/debian script=
  [ ! -f "$roots/$suite.tar" ] || return 0
  if [ "$suite" = noble ]; then mirror=http://archive.ubuntu.com/ubuntu script=/usr/share/debootstrap/scripts/gutsy; fi
  say "$suite: debootstrap"
  rm -rf "$roots/base"
  debootstrap --variant=minbase "$suite" "$roots/base" "${QUIRE_MIRROR:-$mirror}" $script >"$roots/debootstrap.log" 2>&1 ||
    { tail -n 5 "$roots/debootstrap.log"; fail "debootstrap $suite"; }
  if [ "$suite" = noble ]; then echo "deb $mirror noble main universe" >"$roots/base/etc/apt/sources.list"; fi
  cp /etc/resolv.conf "$roots/base/etc/resolv.conf"
  inside "$roots/base" useradd -m tester
  tar -C "$roots/base" -cf "$roots/$suite.tar" .
  rm -rf "$roots/base"
}

# new_root SUITE: a system nobody has touched, as $root.
new_root() {
  make_base "$1"
  root=$roots/$1
  rm -rf "$root"
  mkdir -p "$root"
  tar -C "$root" -xpf "$roots/$1.tar"
  database=$root/home/tester/.local/share/quire/quire.db
  apt_in "$root" update
}
