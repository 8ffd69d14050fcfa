/// Divides sentences that are too long for an engine, or for the memory that it takes.
enum SentencePieces {
  /// The bytes that an engine gets at once. They fit into the smallest pipe of Linux.
  static let longest = 1_500

  /// The pieces of a sentence, which end before a space if there is one.
  static func pieces(of sentence: String) -> [String] {
    if sentence.utf8.count <= longest { return [sentence] }
    var (pieces, piece, space, size) = ([String](), String.UnicodeScalarView(), String.UnicodeScalarView.Index?.none, 0)
    for scalar in sentence.unicodeScalars {
      let bytes = UTF8.width(scalar)
      if longest < size + bytes {
        let end = space ?? piece.endIndex
        pieces.append(String(piece[..<end]).trimmed)
        piece.removeSubrange(..<end)
        (size, space) = (String(piece).utf8.count, nil)
      }
      if scalar == " ", !piece.isEmpty { space = piece.endIndex }
      piece.append(scalar)
      size += bytes
    }
    pieces.append(String(piece).trimmed)
    return pieces.filter { $0.contains { $0.isLetter || $0.isNumber } }
  }
}
