# shellcheck shell=bash
# Sourced by scripts/package: the tarball for other distributions.

make_tarball() {  # STAGE VERSION FOLDER CHECKOUTS: the sources of the packages that are linked in
  local name=prosper-$2 licence
  mkdir -p "$1/$name"
  cp -a "$1/files" "$1/$name/files"
  # zsh and fish look for completions of local software in other folders than for those of packages.
  mkdir -p "$1/$name/files/share/zsh"
  mv "$1/$name/files/share/zsh/vendor-completions" "$1/$name/files/share/zsh/site-functions"
  licence=$(ls "$4"/swift-log/LICENSE*)
  install -m 644 "$licence" "$1/$name/files/share/doc/prosper/Apache-2.0.txt"
  install -m 755 scripts/package.d/install "$1/$name/install"
  install -m 644 README.md CHANGELOG.md LICENSE "$1/$name"
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "$name" |
    xz -9 -T 0 >"$3/$name-linux-$(dpkg --print-architecture).tar.xz"
}
