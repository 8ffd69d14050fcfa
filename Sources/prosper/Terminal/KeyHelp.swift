/// The text for the key `?`: the keys and their effects, in columns that fit the width of the terminal.
enum KeyHelp {
  private static let keys = [
    ("space", "pauses and resumes"), ("← →", "15 seconds back, forward"), ("n p", "next and previous track"),
    ("s", "next stage"), ("↑ ↓", "volume, as + and -"), ("g", "strikes a gong"),
    ("e E", "the stage lasts 5 minutes longer, shorter"), ("r", "reads the session file again"),
    ("m M", "music quieter, louder"),
    ("v V", "overlays (voice) quieter, louder"),
    ("o", "pauses and resumes the overlays"), ("q", "fades out; a second q stops at once"), ("?", "lists the keys"),
  ]
  /// The width of the column of keys, and the distance between two columns.
  private static let (keyWidth, gap) = (7, 3)

  /// - Parameter width: the columns of the terminal.
  /// - Returns: lines of at most that width; only a word that is longer than a line exceeds it.
  static func lines(width: Int) -> [String] {
    let cell = keyWidth + (keys.map(\.1.count).max() ?? 0)
    let columns = max(1, (width + gap) / (cell + gap))
    return columns == 1 ? keys.flatMap { wrapped($0, $1, width: width) } : table(columns: columns, of: cell)
  }

  /// The keys from left to right, row by row.
  private static func table(columns: Int, of cell: Int) -> [String] {
    stride(from: 0, to: keys.count, by: columns).map { first in
      let cells = keys[first..<min(first + columns, keys.count)].map { padded(padded($0, to: keyWidth) + $1, to: cell) }
      let row = cells.joined(separator: String(repeating: " ", count: gap))
      return String(row.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// One key. Further lines of its text are indented as the first one, and words are not divided.
  private static func wrapped(_ key: String, _ text: String, width: Int) -> [String] {
    var lines = [padded(key, to: keyWidth)]
    for word in text.split(separator: " ") {
      let isFirst = lines[lines.count - 1].count == keyWidth
      if !isFirst, width < lines[lines.count - 1].count + 1 + word.count {
        lines.append(String(repeating: " ", count: keyWidth) + word)
      } else {
        lines[lines.count - 1] += (isFirst ? "" : " ") + word
      }
    }
    return lines
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
