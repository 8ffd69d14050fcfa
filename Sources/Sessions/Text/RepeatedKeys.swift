import Yams

/// A YAML text whose repeated keys are told apart, so that Yams, which refuses them, reads it to its end.
///
/// A repeated key begins with a stand-in of the same width: the places of everything stay what they are.
struct RepeatedKeys {
  private(set) var text: String
  private var originals: [Unicode.Scalar: Unicode.Scalar] = [:]
  /// Bytes that may still be read again: enough for any file made by hand, and soon done for any other.
  private var patience = 1 << 20

  /// A plane that no text uses.
  private static let standIns: ClosedRange<UInt32> = 0x10_0000...0x10_0063

  init(_ text: String) { self.text = text }

  /// Gives the key that begins at a place a stand-in.
  ///
  /// - Returns: false when it can't be told apart, or that was done often enough.
  mutating func tellApart(_ key: String, at place: Place) -> Bool {
    patience -= text.utf8.count
    guard 0 < patience, let standIn = nextStandIn, var index = text.index(of: place) else { return false }
    let scalars = text.unicodeScalars
    if ["\"", "'"].contains(scalars[index]) { index = scalars.index(after: index) }
    guard index < scalars.endIndex, let first = key.unicodeScalars.first, scalars[index] == first,
      first.properties.isAlphabetic || first.properties.numericType != nil || ["_", "$"].contains(first)
    else { return false }
    originals[standIn] = first
    text.unicodeScalars.replaceSubrange(index...index, with: [standIn])
    return true
  }

  /// The key as the file has it.
  func original(of key: String) -> String {
    guard let first = key.unicodeScalars.first, let original = originals[first] else { return key }
    return String(String.UnicodeScalarView([original] + key.unicodeScalars.dropFirst()))
  }

  private var nextStandIn: Unicode.Scalar? {
    let value = Self.standIns.lowerBound + UInt32(originals.count)
    guard Self.standIns.contains(value), let scalar = Unicode.Scalar(value) else { return nil }
    return text.unicodeScalars.contains(scalar) ? nil : scalar
  }
}

extension String {
  /// Where the scalar at a place of the text begins.
  fileprivate func index(of place: Place) -> Index? {
    var here = Place(line: 1, column: 1)
    var index = utf8.startIndex
    while here < place, index < utf8.endIndex {
      let next = utf8.index(after: index)
      here.advance(over: utf8[index], before: next < utf8.endIndex ? utf8[next] : nil)
      index = next
    }
    while index < utf8.endIndex, utf8[index] & 0xC0 == 0x80 { index = utf8.index(after: index) }
    return here == place && index < utf8.endIndex ? index : nil
  }
}
