# Sourced by packaging/package.sh: the packages quire and quire-cuda for Debian and Ubuntu.
architecture=$(dpkg --print-architecture)

# shared_libraries FILE...: what they need, as a field of a control file.
shared_libraries() {
  mkdir -p "$work/shlibs/debian"
  printf 'Source: quire\n\nPackage: quire\nArchitecture: any\n' >"$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps -O --warnings=0 "${@/#/-e}" | sed -n 's/^shlibs:Depends=//p')
}

section_packages() { sed -n "/^\[$1\]/,/^\[/{/^[a-z]/p}" packaging/debian-packages.txt; }

# QML modules are loaded by name, fonts are found by name: no program's list of libraries has them.
# Debian 13 has the plugins that draw SVG in a package of their own; before, they were in the library's.
needed_by_name() { section_packages run | grep -E '^(qml6-module-|libqt6svg6$|fonts-inter$|fonts-jetbrains-mono$)'; }
svg_plugins='qt6-svg-plugins | libqt6svg6 (<< 6.7~)'
recommended() { section_packages run | grep -vE '^(qml6-module-|libqt6svg6$|fonts-inter$|fonts-jetbrains-mono$)'; }

comma_separated() { paste -sd, | sed 's/,/, /g'; }

# write_documents PACKAGE: the changelog and the copyright.
write_documents() {
  local documents=$work/$1/usr/share/doc/$1
  mkdir -p "$documents"
  sed "s|@YEAR@|$(date -d "@$SOURCE_DATE_EPOCH" +%Y)|" "packaging/linux/$1.copyright" >"$documents/copyright"
  printf 'quire (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' "$QUIRE_VERSION" "$QUIRE_VERSION" \
    "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$documents/changelog.gz"
}

# build_deb PACKAGE: from $work/PACKAGE, whose DEBIAN/control lacks what is the same for each and ends with the
# description.
build_deb() {
  local root=$work/$1 file=$QUIRE_OUT/$1_${QUIRE_VERSION}_$architecture.deb
  {
    printf 'Package: %s\nSource: quire\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' \
      "$1" "$QUIRE_VERSION" "$architecture" "$maintainer"
    printf 'Installed-Size: %s\n' "$(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
    cat "$work/control"
  } >"$work/whole-control"
  mv "$work/whole-control" "$root/DEBIAN/control"
  (cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
  chmod -R u=rwX,go=rX "$root"
  clamp_times "$root"
  dpkg-deb --root-owner-group --threads-max=1 -Zxz "-z$QUIRE_XZ_LEVEL" --build "$root" "$work/$1.deb" >/dev/null
  mv "$work/$1.deb" "$file"
  say "$file: $(stat -c %s "$file") bytes, $(sed -n 's/^Installed-Size: //p' "$root/DEBIAN/control") KiB installed"
}

make_program_package() {
  local root=$work/quire documents=$work/quire/usr/share/doc/quire
  mkdir -p "$root/DEBIAN"
  stage_programs "$root/usr"
  write_documents quire
  mkdir -p "$documents/embedded"
  local name
  while read -r name _; do cp "/usr/share/doc/$name/copyright" "$documents/embedded/$name"; done < <(grep -v '^#' packaging/linux/embedded.txt)
  local libraries
  libraries=$(shared_libraries "$root"/usr/bin/*)
  # shellcheck disable=SC2046
  python3 packaging/sbom.py --version "$QUIRE_VERSION" --embedded packaging/linux/embedded.txt --models resources/models \
    --needed $(sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g' <<<"$libraries") $(needed_by_name) >"$documents/sbom.cdx.json"
  python3 packaging/check_sbom.py files --sbom "$documents/sbom.cdx.json" --licences "$documents/embedded" "$root/usr" >&2
  {
    printf 'Depends: %s, %s, %s\nRecommends: %s\nSuggests: quire-cuda (= %s)\n' "$libraries" "$(needed_by_name | comma_separated)" \
      "$svg_plugins" \
      "$(recommended | comma_separated)" "$QUIRE_VERSION"
    printf 'Section: utils\nPriority: optional\n'
    cat packaging/linux/quire.description
  } >"$work/control"
  build_deb quire
}

make_cuda_package() {
  mkdir -p "$work/quire-cuda/DEBIAN"
  stage_cuda "$work/quire-cuda/usr" || { say "there is no CUDA backend in $build: no package quire-cuda"; return 0; }
  write_documents quire-cuda
  write_cuda_sbom "$work/quire-cuda/usr/share/doc/quire-cuda/sbom.cdx.json"
  {
    printf 'Depends: quire (= %s), %s\nSection: utils\nPriority: optional\n' "$QUIRE_VERSION" \
      "$(shared_libraries "$work/quire-cuda/usr/lib/quire/libquire_cuda.so")"
    sed "s/@GPUS@/$QUIRE_CUDA_GPUS/" packaging/linux/quire-cuda.description
  } >"$work/control"
  build_deb quire-cuda
}

desktop-file-validate packaging/linux/quire.desktop
appstreamcli validate --no-net packaging/linux/quire.metainfo.xml >&2
make_program_package
make_cuda_package
# What can only be true of a package within Debian's archive is left out.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host \
  "$QUIRE_OUT"/quire*_"${QUIRE_VERSION}_$architecture".deb >&2
