import CQREncode
package import Engine

/// A QR code, drawn with text.
package struct QRCode {
  private let width: Int
  private let modules: [Bool]

  /// Light modules around the code, without which cameras don't find it.
  private static let border = 2

  /// - Throws: why libqrencode can't be used, with the package that is missing.
  package init(_ text: String) throws(LibraryFailure) {
    if let failure = LibraryFailure(prosper_qrencode_failure(), of: "libqrencode", in: "the package libqrencode4") {
      throw failure
    }
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
      throw LibraryFailure(shortageOf: "libqrencode")
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    self.width = width
    // The lowest bit of each byte is the colour: 1 is dark.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
  }

  /// Lines with two rows of modules each, because a letter is about twice as high as it is wide.
  ///
  /// - Parameter inColour: whether the lines say their colours, so that the terminal's own ones don't matter. Without, they
  ///   are right on a dark background.
  package func lines(inColour: Bool) -> [String] {
    let range = -Self.border..<width + Self.border
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let line = String(
        range.map { column -> Character in
          switch (isLight(row, column), isLight(row + 1, column)) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        })
      return inColour ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
  }

  private func isLight(_ row: Int, _ column: Int) -> Bool {
    guard 0..<width ~= row, 0..<width ~= column else { return row < width + Self.border }
    return !modules[row * width + column]
  }
}
