import Engine

/// The maximum number of characters of a tag, and of the code points that they consist of.
private let (mostCharacters, mostScalars) = (250, 1_000)

/// A text from a file's tags as listeners and other programs see it: one line, without characters that control a
/// terminal or the direction of writing, and cut if it is very long. nil if nothing is left.
///
/// Every tag of every format passes through here, and nowhere else.
func shownTag(_ text: String) -> String? {
  var (scalars, count) = (String.UnicodeScalarView(), 0)
  for scalar in text.unicodeScalars where count <= mostScalars {
    if scalar.properties.isWhitespace {
      if let last = scalars.last, last != " " { scalars.append(" ") }
      count += 1
    } else if !scalar.isUnprintable {
      scalars.append(scalar)
      count += 1
    }
  }
  if scalars.last == " " { scalars.removeLast() }
  let shown = String(scalars)
  let isCut = count > mostScalars || shown.count > mostCharacters
  // The last character may be incomplete.
  return shown.isEmpty ? nil : isCut ? shown.prefix(min(mostCharacters, shown.count) - 1) + "…" : shown
}
