#!/usr/bin/env bash
# make-sysroot.sh FOLDER [LIBRARY...]: the libraries that Quire needs, built for Windows with mingw-w64 from Debian's source
# packages, into FOLDER. What is built already stays, so that an interrupted run goes on where it stopped. Without a
# name: all of them. Installs nothing on this machine.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
shift
target=x86_64-w64-mingw32
mkdir -p "$root"/{bin,lib/pkgconfig,include,sources,build,done,apt/lists/partial}

# Debian's own list of packages with the sources beside the binaries.
sources_list() {
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types: deb$/Types: deb-src/'
}

# fetch PACKAGE: its source with Debian's patches, in sources/PACKAGE.
fetch() {
  [ ! -d "$root/sources/$1" ] || return 0
  local apt=(-q -y -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$root/apt/parts"
    -o "Dir::State::Lists=$root/apt/lists" -o APT::Sandbox::User=)
  if [ ! -e "$root/apt/updated" ]; then
    mkdir -p "$root/apt/parts"
    sources_list >"$root/apt/parts/sources.sources"
    apt-get "${apt[@]}" update
    touch "$root/apt/updated"
  fi
  # The newest version; where a mirror lacks its files, the one before.
  local version fetched=""
  for version in $(apt-cache "${apt[@]:2}" showsrc "$1" | sed -n 's/^Version: //p' | sort -rVu); do
    rm -f "$root/sources/$1"_*
    (cd "$root/sources" && apt-get "${apt[@]}" source --download-only "$1=$version") || continue
    fetched=$version
    break
  done
  [ -n "$fetched" ] || { echo "no version of $1 could be downloaded"; return 1; }
  rm -rf "$root/sources/$1.part"
  dpkg-source --no-check -x "$root/sources/$1"_*.dsc "$root/sources/$1.part"
  mv "$root/sources/$1.part" "$root/sources/$1"
}

# build_with_cmake NAME SOURCE OPTION...: with CMake and this folder's toolchain; builds and installs it.
build_with_cmake() {
  local name=$1 from=$2
  shift 2
  cmake -G Ninja -S "$from" -B "$root/build/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$root" \
    -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DQUIRE_SYSROOT="$root" "$@"
  cmake --build "$root/build/$name"
  cmake --install "$root/build/$name"
  rm -rf "$root/build/$name"
}

# static_library NAME SOURCE...: libNAME.a without a build system; options in CFLAGS.
static_library() {
  local name=$1 file objects=()
  shift
  mkdir -p "$root/build/$name"
  for file in "$@"; do
    objects+=("$root/build/$name/$(basename "$file").o")
    $target-gcc-posix -O2 ${CFLAGS:-} -c "$file" -o "${objects[-1]}"
  done
  rm -f "$root/lib/lib$name.a"
  $target-ar rcs "$root/lib/lib$name.a" "${objects[@]}"
}

# pc NAME LIBRARY FLAGS: a pkg-config file.
pc() {
  printf 'Name: %s\nDescription: %s\nVersion: 1\nCflags: -I%s/include %s\nLibs: -L%s/lib -l%s\n' \
    "$1" "$1" "$root" "${3:-}" "$root" "$2" >"$root/lib/pkgconfig/$1.pc"
}

# The compiler's own libraries, for programs that are not linked with -static.
make_runtime() {
  local folder name
  folder=$(dirname "$($target-g++-posix -print-libgcc-file-name)")
  for name in libstdc++-6.dll libgcc_s_seh-1.dll libssp-0.dll; do cp "$folder/$name" "$root/bin/"; done
  cp "/usr/$target/lib/libwinpthread-1.dll" "$root/bin/"
}

# Libraries that are headers alone are this machine's own.
make_headers() {
  local name
  mkdir -p "$root/share/cmake"
  for name in nlohmann CLI boost; do ln -sfn "/usr/include/$name" "$root/include/$name"; done
  for name in nlohmann_json CLI11; do
    # Their files say where the headers are by their own place.
    rm -rf "$root/share/cmake/$name"
    cp -r "/usr/share/cmake/$name" "$root/share/cmake/"
  done
}

make_pcre2() {
  fetch pcre2
  build_with_cmake pcre2 "$root/sources/pcre2" -DBUILD_SHARED_LIBS=OFF -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF \
    -DPCRE2_SUPPORT_JIT=ON -DPCRE2_BUILD_PCRE2_8=ON
  pc libpcre2-8 pcre2-8 -DPCRE2_STATIC
}

make_utf8proc() {
  fetch utf8proc
  CFLAGS=-DUTF8PROC_STATIC static_library utf8proc "$root/sources/utf8proc/utf8proc.c"
  cp "$root/sources/utf8proc/utf8proc.h" "$root/include/"
  pc libutf8proc utf8proc -DUTF8PROC_STATIC
}

make_xxhash() {
  fetch xxhash
  static_library xxhash "$root/sources/xxhash/xxhash.c"
  cp "$root/sources/xxhash/xxhash.h" "$root/include/"
  pc libxxhash xxhash
}

# All of SQLite in one file, which its own scripts make (in Tcl).
make_sqlite() {
  fetch sqlite3
  local folder=$root/build/sqlite
  mkdir -p "$folder"
  (cd "$folder" && sh ../../sources/sqlite3/configure --disable-tcl --disable-readline && make sqlite3.c sqlite3.h)
  CFLAGS="-DSQLITE_ENABLE_FTS5 -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_COLUMN_METADATA" \
    static_library sqlite3 "$folder/sqlite3.c"
  cp "$folder/sqlite3.h" "$root/include/"
  pc sqlite3 sqlite3
}

# Core and Test are what the tests of kernels and engine need. Debian's Qt of the same version has moc.
make_qtbase() {
  fetch qt6-base
  build_with_cmake qtbase "$root/sources/qt6-base" \
    -DBUILD_SHARED_LIBS=ON -DQT_HOST_PATH=/usr -DQT_BUILD_TESTS=OFF -DQT_BUILD_EXAMPLES=OFF \
    -DQT_HOST_PATH_CMAKE_DIR="$(ls -d /usr/lib/*/cmake/Qt6HostInfo | head -n 1 | xargs dirname)" \
    -DFEATURE_gui=OFF -DFEATURE_network=OFF -DFEATURE_sql=OFF -DFEATURE_xml=OFF -DFEATURE_dbus=OFF -DFEATURE_widgets=OFF \
    -DFEATURE_concurrent=OFF -DFEATURE_testlib=ON -DFEATURE_icu=OFF -DFEATURE_glib=OFF -DFEATURE_zstd=OFF \
    -DFEATURE_system_zlib=OFF -DFEATURE_system_pcre2=OFF -DFEATURE_system_doubleconversion=OFF -DFEATURE_pkg_config=OFF \
    -DINPUT_opengl=no -DFEATURE_precompile_header=ON -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG"
}

all="runtime headers pcre2 utf8proc xxhash sqlite qtbase"
[ $# -gt 0 ] || set -- $all
for name in "$@"; do
  [ -e "$root/done/$name" ] && continue
  echo "make-sysroot.sh: $name"
  # Not behind || or if, where a step would go on after a command that failed.
  set +e
  (set -e; "make_$name") >"$root/build/$name.log" 2>&1
  status=$?
  set -e
  [ "$status" = 0 ] || { tail -n 30 "$root/build/$name.log" >&2; exit 1; }
  touch "$root/done/$name"
done
