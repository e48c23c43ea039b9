#!/usr/bin/env bash
# check-packages.sh [SUITE...]: tries the packages of build/packages in new Debian systems (bookworm and trixie unless
# told), as docs/packages.md says. Root only (new_root.sh). QUIRE_CHECK_PARTS="deb run" says which kinds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/new_root.sh
packages=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages}
parts=${QUIRE_CHECK_PARTS:-deb run}
display=:97
limit_s=60
prompt='What is the capital of France?'

# lower_version DEB: the same package as version 0.0.1, into the root's /tmp.
lower_version() {
  local folder
  folder=$(mktemp -d)
  dpkg-deb -R "$1" "$folder"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$folder/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder" "$root/tmp/older.deb" >/dev/null
  rm -rf "$folder"
}

# How many whole answers the store has, and the latest.
whole="FROM message JOIN message_part ON message_id = message.id WHERE role = 'assistant' AND status = 0 AND payload <> ''"
answers() { sqlite3 "file:$database?mode=ro" "SELECT count(*) $whole" 2>/dev/null || echo 0; }
latest_answer() { sqlite3 "file:$database?mode=ro" "SELECT payload $whole ORDER BY message.id DESC LIMIT 1"; }

# ask_cli PROGRAM: an answer in the terminal.
ask_cli() {
  local began=$SECONDS text
  text=$(as_user "$root" "$1 generate --chat --temperature 0 --device cpu --prompt '$prompt'" 2>"$roots/cli.log") ||
    { cat "$roots/cli.log"; fail "$1 did not answer"; }
  grep -q Paris <<<"$text" || fail "$1 answered: $text"
  say "$1 answered in $((SECONDS - began)) s: $(head -n 1 <<<"$text")"
}

# ask_window COMMAND PICTURE: opens the window, types a message, waits for the answer in the database, closes it.
ask_window() {
  local began=$SECONDS before window="" pid
  before=$(answers)
  as_user "$root" "echo \$\$ >window.pid; exec $1" >"$roots/window.log" 2>&1 &
  pid=$!
  while [ -z "$window" ]; do
    [ $((SECONDS - began)) -lt $limit_s ] || { cat "$roots/window.log"; fail "no window within $limit_s s"; }
    kill -0 "$pid" 2>/dev/null || { cat "$roots/window.log"; fail "$1 ended"; }
    window=$(DISPLAY=$display xdotool search --onlyvisible --name '.*Quire.*' 2>/dev/null | head -n 1) || true
    sleep 0.5
  done
  say "$1 opened its window after $((SECONDS - began)) s"
  sleep 8  # The program reads its store and takes the keyboard's focus itself.
  DISPLAY=$display xdotool windowfocus --sync "$window" sleep 1
  # On the first start's welcome page the download is focused; Tab goes on to the demonstration model.
  [ "$before" != 0 ] || DISPLAY=$display xdotool key --delay 100 Tab Return sleep 4
  DISPLAY=$display xdotool type --delay 40 "$prompt"
  DISPLAY=$display xdotool key --delay 100 Return
  while [ "$(answers)" -le "$before" ]; do
    [ $((SECONDS - began)) -lt $limit_s ] || { picture "$2"; cat "$roots/window.log"; fail "no answer within $limit_s s"; }
    sleep 0.5
  done
  say "$1: an answer after $((SECONDS - began)) s: $(latest_answer)"
  sleep 2
  picture "$2"
  kill "$(cat "$root/home/tester/window.pid")"
  wait "$pid" || true
}

# picture NAME: of the display, where there is a program that makes one.
picture() {
  if command -v scrot >/dev/null; then DISPLAY=$display scrot -o "$roots/$1.png" || true; fi
}

# refuses_newer COMMAND: a store of a later version is left as it is, with a reason.
refuses_newer() {
  local version sum text
  version=$(sqlite3 "$database" "PRAGMA user_version")
  sqlite3 "$database" "PRAGMA user_version=9999"
  sum=$(sqlite3 "$database" .dump | sha256sum)
  if text=$(as_user "$root" "$1 replay --list" 2>&1); then fail "$1 read a newer store: $text"; fi
  grep -q 'newer Quire' <<<"$text" || fail "$1 said of a newer store: $text"
  [ "$(sqlite3 "$database" "PRAGMA user_version")" = 9999 ] && [ "$(sqlite3 "$database" .dump | sha256sum)" = "$sum" ] ||
    fail "a newer store was changed"
  sqlite3 "$database" "PRAGMA user_version=$version"
  say "a newer store is refused: $text"
}

# says_of_cuda TEXT: what the installed program says of NVIDIA's GPUs, where there is none.
says_of_cuda() {
  local text
  text=$(as_user "$root" "quire-cli inspect --devices" | grep '^cuda') || fail "quire-cli inspect --devices says nothing of CUDA"
  grep -q "$1" <<<"$text" || fail "quire-cli says of CUDA: $text"
}

# check_cuda DEB: the program finds the library of the package quire-cuda.
check_cuda() {
  [ -f "$1" ] || { say "there is no $1: not tried"; return 0; }
  says_of_cuda 'has no CUDA backend'
  cp "$1" "$root/tmp/cuda.deb"
  apt_in "$root" install /tmp/cuda.deb
  says_of_cuda 'No NVIDIA driver'
  apt_in "$root" purge quire-cuda
  say "quire-cuda is found when it is installed"
}

check_deb() {
  local deb before
  deb=$(ls "$packages"/quire_*.deb | tail -n 1)
  new_root "$1"
  lower_version "$deb"
  apt_in "$root" install /tmp/older.deb
  say "$1: installed; the packages it brought: $(inside "$root" dpkg-query -W | wc -l) in all"
  find "$root/usr/lib" -name libqsvg.so | grep -q . || fail "the window would have no icons: Qt's plugin for SVG is missing"
  ask_cli quire-cli
  ask_window quire "$1-deb"
  before=$(answers)
  cp "$deb" "$root/tmp/newer.deb"
  apt_in "$root" install /tmp/newer.deb
  [ "$(inside "$root" quire-cli --version | grep -o '[0-9.]*$')" != "" ] || fail "quire-cli --version"
  [ "$(answers)" = "$before" ] || fail "the upgrade lost answers"
  if inside "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install /tmp/older.deb >/dev/null 2>&1; then
    fail "apt-get installed an older version without being told to"
  fi
  say "$1: upgraded, $before answer(s) are still there; apt-get refuses the older version"
  refuses_newer quire-cli
  check_cuda "${deb/quire_/quire-cuda_}"
  apt_in "$root" purge quire
  [ ! -e "$root/usr/bin/quire" ] && [ ! -e "$root/usr/share/quire" ] && [ -f "$database" ] || fail "purging left or took too much"
  say "$1: removed; the chats are kept"
  rm -rf "$root"
}

check_run() {
  local file home before
  file=$(ls "$packages"/quire-*.run | tail -n 1)
  new_root "$1"
  apt_in "$root" install "${desktop_libraries[@]}"
  ! inside "$root" sh -c 'ls /usr/lib/*/libQt*' >/dev/null 2>&1 || fail "there is a Qt in the root"
  home=$root/home/tester
  cp "$file" "$root/home/tester/quire.run"
  as_user "$root" './quire.run --verify' || fail "--verify"
  as_user "$root" 'head -c 20000000 quire.run > cut.run; sh cut.run --verify' >/dev/null 2>&1 && fail "a cut file passed"
  ask_cli './quire.run --cli'
  ask_window ./quire.run "$1-run"
  before=$(answers)
  as_user "$root" './quire.run --install' || fail "--install"
  ask_cli .local/bin/quire-cli
  ask_window .local/bin/quire "$1-installed"
  as_user "$root" 'echo 9.9.9 > .local/opt/quire/VERSION; ./quire.run --install' >"$roots/downgrade.log" 2>&1 && fail "downgraded"
  say "$(cat "$roots/downgrade.log")"
  as_user "$root" 'echo 0.0.1 > .local/opt/quire/VERSION; ./quire.run --install' || fail "upgrade"
  [ "$(answers)" -gt "$before" ] || fail "the upgrade lost answers"
  refuses_newer .local/bin/quire-cli
  as_user "$root" '.local/opt/quire/uninstall </dev/null' || fail "uninstall"
  [ ! -e "$home/.local/opt/quire" ] && [ ! -e "$home/.local/share/applications/quire.desktop" ] && [ -f "$database" ] ||
    fail "uninstalling left or took too much"
  left=$(find "$home/.local" "$home/.cache" -name '*quire*' -not -path '*/share/quire*' -print -quit)
  [ -z "$left" ] || fail "left behind: $left"
  as_user "$root" './quire.run --install >/dev/null && .local/opt/quire/uninstall --delete-data' || fail "uninstall --delete-data"
  [ ! -e "$home/.local/share/quire" ] || fail "the data is still there"
  say "$1: installed, upgraded and removed without root, without and with the data"
  rm -rf "$root"
}

mkdir -p -m 1777 /tmp/.X11-unix
Xvfb "$display" -screen 0 1440x900x24 -ac -nolisten tcp >"$roots/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill "$xvfb"' EXIT
[ $# -gt 0 ] || set -- bookworm trixie
for suite in "$@"; do
  for part in $parts; do "check_$part" "$suite"; done
done
say "all is well: $*"
