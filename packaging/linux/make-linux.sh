# Sourced by packaging/package.sh: one file for any desktop Linux, a shell script with a tar archive behind it.
tree=$work/quire
qt=/usr/lib/$(gcc -print-multiarch)/qt6
copied=$work/copied-packages

# Of each plugin folder what a chat window may need; QML modules are those of [run].
plugins=(iconengines imageformats networkinformation platforminputcontexts
  platforms/libqoffscreen.so platforms/libqwayland-egl.so platforms/libqwayland-generic.so platforms/libqxcb.so tls
  wayland-decoration-client wayland-graphics-integration-client/libqt-plugin-wayland-egl.so
  wayland-shell-integration/libxdg-shell.so xcbglintegrations)
fonts=(Inter-Regular Inter-Italic Inter-Medium Inter-MediumItalic Inter-SemiBold Inter-SemiBoldItalic Inter-Bold
  Inter-BoldItalic JetBrainsMono-Regular JetBrainsMono-Italic JetBrainsMono-Bold JetBrainsMono-BoldItalic)

# copy_file FILE FOLDER: and notes the package that it is from.
copy_file() {
  mkdir -p "$2"
  cp -L "$1" "$2/"
  dpkg-query -S "$1" | cut -d : -f 1 >>"$copied"
}

copy_plugins() {
  local plugin file
  for plugin in "${plugins[@]}"; do
    [ -e "$qt/plugins/$plugin" ] || { say "Qt's plugin $plugin is not on this machine: left out"; continue; }
    for file in $(find "$qt/plugins/$plugin" -name '*.so' | sort); do
      copy_file "$file" "$tree/lib/qt/$(dirname "${file#"$qt"/}")"
    done
  done
}

copy_qml_modules() {
  local package file
  for package in $(sed -n '/^\[run\]/,/^\[/{/^qml6-module-/p}' packaging/debian-packages.txt); do
    for file in $(dpkg -L "$package" | grep "^$qt/qml/"); do
      [ ! -f "$file" ] || { mkdir -p "$tree/lib/qt/$(dirname "${file#"$qt"/}")" && cp -L "$file" "$tree/lib/qt/${file#"$qt"/}"; }
    done
    echo "$package" >>"$copied"
  done
}

copy_fonts() {
  local name
  for name in "${fonts[@]}"; do
    copy_file "$(find /usr/share/fonts -name "$name.[ot]tf" | sort | head -n 1)" "$tree/share/quire/fonts"
  done
}

write_documents() {
  local name
  mkdir -p "$tree/licenses"
  cp LICENSE "$tree/licenses/quire"
  { grep -v '^#' packaging/linux/embedded.txt | cut -d ' ' -f 1; cat "$copied"; } | sort -u | while read -r name; do
    cp -L "/usr/share/doc/$name/copyright" "$tree/licenses/$name"
  done
  # Apache, GPL and others are named there by their place on a Debian system.
  mkdir -p "$tree/licenses/common-licenses"
  cp -L /usr/share/common-licenses/* "$tree/licenses/common-licenses/"
  # shellcheck disable=SC2046
  python3 packaging/sbom.py --version "$QUIRE_VERSION" --embedded packaging/linux/embedded.txt --models resources/models \
    --contained $(sort -u "$copied") >"$tree/sbom.cdx.json"
  echo "$QUIRE_VERSION" >"$tree/VERSION"
}

# pack FOLDER NAME FILE: a .tar.xz that depends on nothing but what is in it.
pack() {
  clamp_times "$1/$2"
  tar -C "$1" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$2" |
    xz -T1 "-$QUIRE_XZ_LEVEL" >"$3"
}

write_run_file() {
  local file=$QUIRE_OUT/quire-$QUIRE_VERSION-x86_64.run
  pack "$work" quire "$work/payload.tar.xz"
  sed -e "s/@VERSION@/$QUIRE_VERSION/; s/@DIGEST@/$(sha256sum <"$work/payload.tar.xz" | cut -d ' ' -f 1)/" \
    -e "s/@LINES@/$(($(wc -l <packaging/linux/self-extract.sh) + 1))/" packaging/linux/self-extract.sh |
    cat - "$work/payload.tar.xz" >"$work/quire.run"
  chmod 755 "$work/quire.run"
  mv "$work/quire.run" "$file"
  say "$file: $(stat -c %s "$file") bytes, $(du -sk --apparent-size "$tree" | cut -f 1) KiB installed"
}

write_cuda_archive() {
  local file=$QUIRE_OUT/quire-cuda-$QUIRE_VERSION-x86_64.tar.xz
  stage_cuda "$work/cuda" || { say "there is no CUDA backend in $build: no archive of it"; return 0; }
  write_cuda_sbom "$work/cuda/lib/quire/libquire_cuda.cdx.json"
  pack "$work/cuda" lib "$work/cuda.tar.xz"
  mv "$work/cuda.tar.xz" "$file"
  say "$file: $(stat -c %s "$file") bytes"
}

stage_programs "$tree"
copy_plugins
copy_qml_modules
copy_fonts
printf '[Paths]\nPrefix=..\nPlugins=lib/qt/plugins\nQmlImports=lib/qt/qml\n' >"$tree/bin/qt.conf"
python3 packaging/collect_libraries.py --system packaging/linux/system-libraries.txt "$tree" >>"$copied"
python3 packaging/collect_libraries.py --check --system packaging/linux/system-libraries.txt "$tree" >&2
cp packaging/linux/installer.sh "$tree/uninstall"
chmod 755 "$tree/uninstall"
write_documents
python3 packaging/check_sbom.py files --sbom "$tree/sbom.cdx.json" --licences "$tree/licenses" "$tree" >&2
chmod -R u=rwX,go=rX "$tree"
write_run_file
write_cuda_archive
