#!/bin/sh
# Installs the Quire that this script lies in, or uninstalls it: for one user, without root (docs/packages.md).
#   uninstall [--keep-data | --delete-data]
#   uninstall --install [--force]      what the .run file calls
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd -P)
installed=$HOME/.local/opt/quire
data_home=${XDG_DATA_HOME:-$HOME/.local/share}
cache_home=${XDG_CACHE_HOME:-$HOME/.cache}
programs="quire quire-cli"

fail() { echo "Quire: $*" >&2; exit 1; }

# Whether a program runs from the installed folder: its files must not be exchanged below it.
is_running() {
  real=$(readlink -f "$installed") || return 1
  for link in /proc/[0-9]*/exe; do
    case $(readlink "$link" 2>/dev/null) in "$real"/*) return 0 ;; esac
  done
  return 1
}

# Brings the desktop's tables up to date where the desktop has them.
refresh_desktop() {
  if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$data_home/applications" || true; fi
  if command -v update-mime-database >/dev/null; then update-mime-database "$data_home/mime" 2>/dev/null || true; fi
  if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -qt "$data_home/icons/hicolor" 2>/dev/null || true; fi
}

# The files below share/ that a desktop looks for, relative to it.
desktop_files() {
  (cd "$1/share" && find icons mime metainfo -type f)
}

add_to_desktop() {
  desktop_files "$installed" | while read -r file; do
    mkdir -p "$data_home/$(dirname "$file")"
    cp "$installed/share/$file" "$data_home/$file"
  done
  mkdir -p "$data_home/applications"
  # A path with a space is quoted as the desktop entry specification says.
  sed "s|^Exec=quire|Exec=\"$installed/bin/quire\"|; /^Exec=/i TryExec=$installed/bin/quire" \
    "$installed/share/applications/quire.desktop" >"$data_home/applications/quire.desktop"
  refresh_desktop
}

add_links() {
  mkdir -p "$HOME/.local/bin"
  for program in $programs; do
    link=$HOME/.local/bin/$program
    if [ -e "$link" ] && [ ! -L "$link" ]; then
      echo "Quire: $link is another file and stays; start $installed/bin/$program instead." >&2
    else
      ln -sfn "$installed/bin/$program" "$link"
    fi
  done
}

refuse_downgrade() {
  old=$(cat "$installed/VERSION" 2>/dev/null || echo 0)
  new=$(cat "$here/VERSION")
  [ "$old" = "$new" ] || [ "$(printf '%s\n%s\n' "$old" "$new" | sort -V | tail -n 1)" = "$new" ] ||
    fail "version $old is installed, which is newer than $new; an older one may not be able to read its chats." \
      "Uninstall it first, or add --force."
}

install_here() {
  [ "$here" != "$(readlink -f "$installed")" ] || fail "this is the installed Quire. Start the .run file with --install."
  [ "${1:-}" = --force ] || refuse_downgrade
  ! is_running || fail "it is running. Close its window first, then install again."
  before=
  if [ -e "$installed" ]; then
    before=$installed.old.$$
    mv -T "$installed" "$before"
  fi
  if ! mv -T "$here" "$installed"; then
    [ -z "$before" ] || mv -T "$before" "$installed"
    fail "$installed cannot be written."
  fi
  add_links
  add_to_desktop
  echo "Quire $(cat "$installed/VERSION") is installed in $installed. It is in the menu, and as ~/.local/bin/quire."
  if [ -n "$before" ]; then
    [ ! -e "$before/lib/quire/libquire_cuda.so" ] ||
      echo "Unpack the quire-cuda archive of this version there too; the old one's no longer fits."
    rm -rf "$before"
  fi
}

# Whether the user wants the data deleted: by option, or asked on a terminal; kept where nobody can answer.
wants_data_deleted() {
  case ${1:-} in
    --delete-data) return 0 ;;
    --keep-data) return 1 ;;
    '') ;;
    *) fail "uninstall takes --keep-data or --delete-data." ;;
  esac
  [ -t 0 ] && [ -d "$data_home/quire" ] || return 1
  printf 'Delete your chats, settings, backups and downloaded models in %s too? They cannot be restored. [y/N] ' "$data_home/quire"
  read -r answer || return 1
  case $answer in y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

uninstall() {
  [ -f "$installed/VERSION" ] || fail "it is not installed in $installed."
  ! is_running || fail "it is running. Close its window first, then uninstall."
  delete=no
  if wants_data_deleted "$@"; then delete=yes; fi
  for program in $programs; do
    link=$HOME/.local/bin/$program
    [ "$(readlink "$link" 2>/dev/null)" != "$installed/bin/$program" ] || rm -f "$link"
  done
  desktop_files "$installed" | while read -r file; do rm -f "$data_home/$file"; done
  rm -f "$data_home/applications/quire.desktop"
  refresh_desktop
  rm -rf "$installed" "$cache_home/quire"
  if [ "$delete" = yes ]; then
    rm -rf "$data_home/quire"
    echo "Quire, your chats and the downloaded models are removed."
  else
    echo "Quire is removed. Your chats and downloaded models are kept in $data_home/quire."
  fi
}

case ${1:-} in
  --install) shift; install_here "$@" ;;
  *) uninstall "$@" ;;
esac
