# shellcheck shell=bash
# Sourced by scripts/package: the files that both packages install, below their prefix.

# Articles for those who build on prosper are not installed.
developers='Architecture|Embedding|ProsperKit|Rendering'

lay_out() {  # FOLDER SCRATCH: installs everything but the copyright and the changelog of Debian
  local folder=$1 program=$2/release/prosper share=$1/share article
  install -D "$program" "$folder/bin/prosper"
  strip --strip-all "$folder/bin/prosper"
  # SwiftPM lets a program look for libraries in its own folder first, where anybody who can write there could put some.
  chrpath --delete "$folder/bin/prosper" >/dev/null
  if readelf -d "$folder/bin/prosper" | grep -E 'RUNPATH|RPATH' >&2; then
    echo "package: the program must not look for libraries in folders of its own" >&2
    return 1
  fi
  python3 -B scripts/package.d/manual.py "$program" "$share/man"
  gzip -9 -n "$share"/man/man?/*
  complete "$program" bash "$share/bash-completion/completions/prosper"
  complete "$program" zsh "$share/zsh/vendor-completions/_prosper"
  complete "$program" fish "$share/fish/vendor_completions.d/prosper.fish"
  mkdir -p "$share/prosper/sessions" "$share/doc/prosper"
  install -m 644 sessions/*.yaml sessions/*.json sessions/*.jsonl "$share/prosper/sessions"
  for article in Sources/ProsperKit/ProsperKit.docc/*.md; do
    [[ $article =~ /($developers)\.md$ ]] || install -m 644 "$article" "$share/doc/prosper"
  done
  python3 -B scripts/package.d/copyright.py "$2/checkouts" >"$share/doc/prosper/copyright"
  find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

complete() {  # PROGRAM SHELL FILE: a script that shells read is not executable, so it has no interpreter
  mkdir -p "$(dirname "$3")"
  "$1" --generate-completion-script "$2" | sed '1{/^#!/d}' >"$3"
}
