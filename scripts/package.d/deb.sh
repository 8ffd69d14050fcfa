# shellcheck shell=bash
# Sourced by scripts/package: the Debian package.

make_deb() {  # STAGE VERSION FOLDER: makes the package of the files in STAGE/files
  local root=$1/deb version=$2-1 architecture
  architecture=$(dpkg --print-architecture)
  mkdir -p "$root/DEBIAN"
  cp -a "$1/files" "$root/usr"
  add_documents "$root" "$version"
  write_control "$1" "$root" "$version" "$architecture" >"$1/control"
  mv "$1/control" "$root/DEBIAN/control"
  (cd "$root" && find usr -type f -printf '%P\0' | LC_ALL=C sort -z | sed -z 's|^|usr/|' | xargs -0 md5sum) \
    >"$root/DEBIAN/md5sums"
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz -z9 --build "$root" "$3/prosper_${version}_$architecture.deb" >&2
}

maintainer() {
  local name=${DEBFULLNAME:-$(git config user.name || git log -1 --format=%an)}
  echo "$name <${DEBEMAIL:-$(git config user.email || git log -1 --format=%ae)}>"
}

add_documents() {  # ROOT VERSION: the changelogs, and why lintian need not warn
  local documents=$1/usr/share/doc/prosper
  gzip -9 -n <CHANGELOG.md >"$documents/changelog.gz"
  gzip -9 -n >"$documents/changelog.Debian.gz" <<END
prosper ($2) unstable; urgency=medium

  * Built from the repository by scripts/package; changelog.gz lists what
    has changed.

 -- $(maintainer)  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
  mkdir -p "$1/usr/share/lintian/overrides"
  cp scripts/package.d/lintian-overrides "$1/usr/share/lintian/overrides/prosper"
}

# prosper loads these libraries itself, when it needs them, so dpkg-shlibdeps does not find them.
loaded="libebur128-1, libmpg123-0, libopus0, libpulse0, libsndfile1, libsoxr0, libsystemd0"

# The decoders of other formats. The program loads the versions with which it was built, see Sources/CAv.
decoders() {
  dpkg-query -W -f '${Depends}\n' libavformat-dev libavcodec-dev | grep -oE 'libav(format|codec)[0-9]+' | sort -u |
    paste -sd , | sed 's/,/, /g'
}

write_control() {  # STAGE ROOT VERSION ARCHITECTURE
  local libraries
  mkdir -p "$1/source/debian"
  printf 'Source: prosper\n\nPackage: prosper\nArchitecture: any\n' >"$1/source/debian/control"
  libraries=$(cd "$1/source" && dpkg-shlibdeps -O "$2/usr/bin/prosper" | sed -n 's/^shlibs:Depends=//p')
  cat <<END
Package: prosper
Version: $3
Architecture: $4
Maintainer: $(maintainer)
Installed-Size: $(du -k -s --apparent-size "$2/usr" | cut -f 1)
Depends: $libraries, $loaded
Recommends: libcurl4, ca-certificates, libqrencode4, libshout3, $(decoders), pipewire-pulse | pulseaudio
Suggests: bash-completion, espeak-ng, playerctl, systemd
Section: sound
Priority: optional
Description: player for meditation sessions
 prosper plays meditation sessions: stages with crossfading music, spoken
 overlays that lower the music, gongs at exact times, and fades. A session is
 one text file. prosper checks it, shows its timeline, plays it through
 PulseAudio or PipeWire, or renders it to a sound file.
 .
 Bowls, bells, rain and drones are built in, so a session needs no sound
 files. libcurl is used for sounds from the network only, and libavformat and
 libavcodec for AAC, ALAC, WMA and other formats of sound files.
END
}
