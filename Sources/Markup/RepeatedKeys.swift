import Yams

/// A YAML text in which repeated keys are made distinct. Yams refuses repeated keys, and would report only the first
/// one.
///
/// The first character of a repeated key is replaced by an unused one of the same width, so that every position in the
/// file stays the same.
struct RepeatedKeys {
  private(set) var text: String
  let file: String
  private var originals: [Unicode.Scalar: Unicode.Scalar] = [:]
  /// How many bytes may still be parsed again: every repeated key needs another pass over the text. The limit is
  /// sufficient for files written by hand, and bounds the time for hostile ones.
  private var remainingBytes = 1 << 20

  /// Private-use characters of plane 16, which sessions don't use.
  private static let replacements: ClosedRange<UInt32> = 0x10_0000...0x10_0063

  init(_ text: String, file: String) { (self.text, self.file) = (text, file) }

  /// Replaces the first character of the key at a position.
  ///
  /// - Returns: false if the key can't be replaced, or if too many have been. The error of Yams is reported then.
  mutating func makeDistinct(_ key: String, at location: SourceLocation) -> Bool {
    remainingBytes -= text.utf8.count
    guard 0 < remainingBytes, let replacement = nextReplacement, var index = text.index(of: location) else {
      return false
    }
    let scalars = text.unicodeScalars
    if ["\"", "'"].contains(scalars[index]) { index = scalars.index(after: index) }
    guard index < scalars.endIndex, let first = key.unicodeScalars.first, scalars[index] == first,
      first.properties.isAlphabetic || first.properties.numericType != nil || ["_", "$"].contains(first)
    else { return false }
    originals[replacement] = first
    text.unicodeScalars.replaceSubrange(index...index, with: [replacement])
    return true
  }

  /// The key as it is written in the file.
  func original(of key: String) -> String {
    guard let first = key.unicodeScalars.first, let original = originals[first] else { return key }
    return String(String.UnicodeScalarView([original] + key.unicodeScalars.dropFirst()))
  }

  /// The next character that is not in use; nil if they are exhausted or the text itself contains it.
  private var nextReplacement: Unicode.Scalar? {
    let value = Self.replacements.lowerBound + UInt32(originals.count)
    guard Self.replacements.contains(value), let scalar = Unicode.Scalar(value) else { return nil }
    return text.unicodeScalars.contains(scalar) ? nil : scalar
  }
}

extension String {
  /// The index of the Unicode scalar at a position; nil if there is none.
  fileprivate func index(of location: SourceLocation) -> Index? {
    var here = SourceLocation(file: location.file)
    var index = utf8.startIndex
    while here < location, index < utf8.endIndex {
      let next = utf8.index(after: index)
      here.advance(over: utf8[index], before: next < utf8.endIndex ? utf8[next] : nil)
      index = next
    }
    while index < utf8.endIndex, utf8[index] & 0xC0 == 0x80 { index = utf8.index(after: index) }
    return here == location && index < utf8.endIndex ? index : nil
  }
}
