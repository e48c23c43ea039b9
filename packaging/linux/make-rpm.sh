# Sourced by packaging/package.sh: the packages quire and quire-cuda for Fedora and openSUSE. Programs and
# data are the same bytes as in the deb.

# rpm's own scripts would strip, compress and compile again. Times, names and numbers of this machine stay out.
rpm_macros() {
  printf -- '--define=%s\n' "_topdir $work/rpm" "_rpmdir $work/rpm" "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" \
    "__os_install_post %{nil}" "debug_package %{nil}" "_build_id_links none" "_buildhost localhost" "_binary_payload w$QUIRE_XZ_LEVEL.xzdio" \
    "use_source_date_epoch_as_buildtime 1" "clamp_mtime_to_source_date_epoch 1" "_docdir /usr/share/doc" "_missing_doc_files_terminate_build 0"
}

# file_list ROOT: what the package owns: its files, and the folders that are its alone.
file_list() {
  echo '%defattr(-,root,root,-)'
  (cd "$1" && find usr -type d \( -path '*/quire' -o -path '*/quire/*' -o -path '*/quire-cuda' \) | sort | sed 's|^|%dir /|')
  (cd "$1" && find usr -type f | sort | sed -e 's|^usr/share/doc/|%doc &|; s|^usr/share/licenses/|%license &|; s|^usr/share/man/|%doc &|' \
    -e 's|^\(%[a-z]* \)\{0,1\}|&/|')
}

# Of the deb's description, whose first line is the summary.
summary() { sed -n '1s/^Description: //p' "$1" | sed 's/^./\U&/'; }
description() { sed '1d; s/^ \.$//; s/^ //' "$1"; }

# build_rpm PACKAGE DESCRIPTION: from $work/PACKAGE; further lines of the header are in $work/header.
build_rpm() {
  local root=$work/$1 file=$QUIRE_OUT/$1-$QUIRE_VERSION-1.x86_64.rpm options
  chmod -R u=rwX,go=rX "$root"
  clamp_times "$root"
  mkdir -p "$work/rpm"
  {
    printf 'Name: %s\nVersion: %s\nRelease: 1\nSummary: %s\nLicense: Apache-2.0\n' "$1" "$QUIRE_VERSION" "$(summary "$2")"
    printf 'Vendor: Quire developers\nPackager: %s\n' "$maintainer"
    cat "$work/header"
    printf '\n%%description\n%s\n\n%%install\ncp -a %s/. %%{buildroot}\n\n%%files\n' "$(description "$2")" "$root"
    file_list "$root"
  } >"$work/$1.spec"
  mapfile -t options < <(rpm_macros)
  rpmbuild -bb --quiet --target x86_64-linux --buildroot "$work/rpm/root" "${options[@]}" "$work/$1.spec" >"$work/rpmbuild.log" 2>&1 ||
    { cat "$work/rpmbuild.log" >&2; fail "rpmbuild could not build $1"; }
  mv "$work/rpm/$(basename "$file")" "$file"
  say "$file: $(stat -c %s "$file") bytes, $(($(rpm -qp --qf '%{LONGSIZE}' "$file") / 1024)) KiB installed"
}

# write_rpm_documents PACKAGE: the licences.
write_rpm_documents() {
  mkdir -p "$work/$1/usr/share/licenses/$1"
  cp LICENSE "$work/$1/usr/share/licenses/$1/LICENSE"
}

make_program_rpm() {
  local root=$work/quire name
  stage_programs "$root/usr"
  write_rpm_documents quire
  grep -v '^#' packaging/linux/embedded.txt | while read -r name _; do
    cp "/usr/share/doc/$name/copyright" "$root/usr/share/licenses/quire/$name"
  done
  mkdir -p "$root/usr/share/doc/quire"
  python3 packaging/sbom.py --version "$QUIRE_VERSION" --embedded packaging/linux/embedded.txt --models resources/models \
    >"$root/usr/share/doc/quire/sbom.cdx.json"
  python3 packaging/check_sbom.py files --sbom "$root/usr/share/doc/quire/sbom.cdx.json" --licences "$root/usr/share/licenses/quire" "$root/usr" >&2
  # rpm finds the shared libraries by itself. QML modules, plugins and fonts are loaded by name; Fedora's names are first,
  # openSUSE's second.
  cat >"$work/header" <<'END'
Requires: (qt6-qtdeclarative or qt6-declarative-imports)
Requires: (qt6-qtsvg or qt6-svg or libQt6Svg6)
Recommends: (qt6-qtwayland or qt6-wayland)
Recommends: (poppler-utils or poppler-tools)
Recommends: (rsms-inter-fonts or inter-fonts)
Recommends: jetbrains-mono-fonts
END
  build_rpm quire packaging/linux/quire.description
}

make_cuda_rpm() {
  stage_cuda "$work/quire-cuda/usr" || { say "there is no CUDA backend in $build: no package quire-cuda"; return 0; }
  write_rpm_documents quire-cuda
  mkdir -p "$work/quire-cuda/usr/share/doc/quire-cuda"
  write_cuda_sbom "$work/quire-cuda/usr/share/doc/quire-cuda/sbom.cdx.json"
  printf 'Requires: quire = %s-1\n' "$QUIRE_VERSION" >"$work/header"
  sed "s/@GPUS@/$QUIRE_CUDA_GPUS/" packaging/linux/quire-cuda.description >"$work/cuda.description"
  build_rpm quire-cuda "$work/cuda.description"
}

make_program_rpm
make_cuda_rpm
