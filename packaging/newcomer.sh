#!/usr/bin/env bash
# newcomer.sh [SUITE]: the way of somebody who has just got Quire's deb (QUIRE_NEWCOMER=run: the .run), in a new Debian system
# (bookworm unless told): installs it, opens the window, downloads a model from the test hub, loads it, and gets an answer. It
# prints the seconds of each step, and puts pictures of them into build/newcomer. The hub has each recommended model; the
# file is always the demonstration model in Q8_0, whose answers are known, at QUIRE_HUB_SPEED bytes a second. Root only
# (new_root.sh); builds the hub in build/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/new_root.sh
suite=${1:-bookworm}
kind=${QUIRE_NEWCOMER:-deb}
packages=${QUIRE_PACKAGE_FOLDER:-$PWD/build/packages}
pictures=$PWD/build/newcomer
display=:98
speed=${QUIRE_HUB_SPEED:-2000000}
prompt='What is the capital of France?'

# What drives the window: D-Bus, the accessibility bus and its bindings, keys and pictures.
tools=(dbus dbus-x11 at-spi2-core gir1.2-atspi-2.0 python3-gi scrot xdotool)

# start_hub: as $address, until the script ends.
start_hub() {
  local folder=$roots/hub names=() name type
  cmake --build build/release --target serve_test_hub quire-cli >"$roots/hub.log" 2>&1 || { tail "$roots/hub.log"; fail "the hub does not build"; }
  rm -rf "$folder"
  mkdir -p "$folder"
  build/release/bin/quire-cli quantize --model resources/models/quire-mini --type Q8_0 --output "$folder/model.gguf" >>"$roots/hub.log" 2>&1 ||
    { tail "$roots/hub.log"; fail "the model for the hub"; }
  while IFS=: read -r name type; do
    mkdir -p "$folder/$name"
    ln "$folder/model.gguf" "$folder/$name/$(basename "$name" -GGUF)-$type.gguf"
    names+=("$name=$folder/$name/$(basename "$name" -GGUF)-$type.gguf")
  done < <(sed -n 's/^ *"name": "\(.*\)",$/\1/p' resources/models/recommended.json)
  coproc hub { exec build/release/bin/serve_test_hub "$speed" "${names[@]}" 2>"$roots/hub-requests.log"; }
  read -r address <&"${hub[0]}" || fail "the hub does not start"
  say "the hub has ${#names[@]} models of $(stat -c %s "$folder/model.gguf") bytes, $speed bytes a second"
}

# install_package: as $program, from the package that lies there.
install_package() {
  local began=$SECONDS before
  if [ "$kind" = run ]; then
    cp "$(ls "$packages"/quire-*.run | tail -n 1)" "$root/home/tester/quire.run"
    as_user "$root" './quire.run --install' >"$roots/install.log" || { cat "$roots/install.log"; fail "--install"; }
    program=/home/tester/.local/bin/quire
  else
    before=$(inside "$root" dpkg-query -W | wc -l)
    cp "$(ls "$packages"/quire_*.deb | tail -n 1)" "$root/tmp/quire.deb"
    apt_in "$root" install --install-recommends /tmp/quire.deb
    program=/usr/bin/quire
    say "$(($(inside "$root" dpkg-query -W | wc -l) - before)) packages came with it"
  fi
  say "step 0: installed: $((SECONDS - began)) s"
}

mkdir -p -m 1777 /tmp/.X11-unix
rm -rf "$pictures"
mkdir -p "$pictures"
Xvfb "$display" -screen 0 1200x800x24 -ac -nolisten tcp >"$roots/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill "$xvfb"' EXIT
start_hub
new_root "$suite"
apt_in "$root" install "${desktop_libraries[@]}" "${tools[@]}"
install_package
install -m 755 packaging/newcomer/drive_window.py "$root/home/tester/drive_window.py"
inside "$root" install -d -o tester /home/tester/pictures
status=0
as_user "$root" "export HF_ENDPOINT=$address QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 LANG=C.UTF-8
  exec dbus-run-session -- python3 -W ignore drive_window.py $program '$prompt' pictures" 2>"$roots/newcomer.log" || status=$?
cp "$root"/home/tester/pictures/*.png "$pictures/" || true
exec {hub[1]}>&-
[ "$status" = 0 ] || { cat "$roots/newcomer.log"; fail "the newcomer did not get an answer; pictures are in $pictures"; }
say "all is well: $(find "$pictures" -name '*.png' | wc -l) pictures in $pictures"
rm -rf "$root"
