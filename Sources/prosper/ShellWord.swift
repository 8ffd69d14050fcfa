/// A text as a word for a shell, with quotes if it needs them.
func shellWord(_ text: String) -> String {
  let isPlain = text.wholeMatch(of: #/[A-Za-z0-9_.\/+,:@%-]+/#) != nil
  return isPlain ? text : "'" + text.replacing("'", with: "'\\''").withoutControls + "'"
}

/// A path as a word for a shell. One that begins with a hyphen would be read as an option.
func shellWord(ofPath path: String) -> String { shellWord(path.hasPrefix("-") ? "./" + path : path) }
