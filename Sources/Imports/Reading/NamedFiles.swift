import Engine
import Files
import Sounds

/// Finds the sounds that a list names: paths of this computer or of Windows, relative or absolute, and addresses.
struct NamedFiles {
  /// The absolute folder of the list.
  let folder: String

  /// Where a sound comes from, or what its name is.
  enum Found {
    /// A file, which may be missing.
    case file(String)
    /// An address of the network.
    case remote(String)
    /// An address of another kind, which can't be played.
    case foreign
  }

  /// The endings of sound files, the best ones first.
  private static let endings = ["flac", "wav", "wv", "ogg", "opus", "mp3", "m4a", "aiff", "aif", "caf"]

  /// The sound file that has the same name as another file but for its ending; nil if there is none.
  static func sound(beside path: String) -> String? {
    let name = FilePath.parts(of: path).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let stem = path.dropLast(name[dot...].count)
    return endings.map { "\(stem).\($0)" }.first { FilePath.exists($0) }
  }

  /// Finds what a name means.
  ///
  /// - Parameters:
  ///   - name: the name in the list.
  ///   - bytes: the same name as bytes, for a file whose name has the encoding of the list.
  func find(_ name: String, bytes: [UInt8] = []) -> Found {
    // A session file can't contain them.
    if Self.hasControls(name) { return .foreign }
    guard let scheme = Self.scheme(of: name) else { return .file(path(of: name, bytes)) }
    switch scheme {
    case "http", "https":
      // Many lists contain spaces in addresses.
      let address = name.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
      let rest = address.dropFirst(scheme.count + 3)
      let isAddress = !(rest.first.map { "/?#".contains($0) } ?? true) && !address.contains(where: \.isWhitespace)
      return isAddress ? .remote(address) : .foreign
    case "file":
      let rest = name.dropFirst("file://".count)
      let local = rest.lowercased().hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
      guard let path = Self.decoded(local), path.hasPrefix("/"), !Self.hasControls(path) else {
        return .foreign
      }
      return .file(path)
    default: return .foreign
    }
  }

  /// The absolute path of a file in the folder of the list, whose path the user gave.
  func path(of list: String) -> String { absolute(String(FilePath.parts(of: list).last ?? "")) }

  /// The first file that exists of those that a name can mean; if there is none, the one that it means on this computer.
  private func path(of name: String, _ bytes: [UInt8]) -> String {
    let plain = absolute(name)
    if FilePath.exists(plain) { return plain }
    let others =
      [name.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "/")]
      + (bytes.isEmpty ? [] : [String(ofSystem: bytes.filter { $0 != 0 })])
    return others.map(absolute).first { FilePath.exists($0) } ?? plain
  }

  private func absolute(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    let relative = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    return folder.hasSuffix("/") ? folder + relative : folder + "/" + relative
  }

  private static func hasControls(_ text: String) -> Bool { text.unicodeScalars.contains(where: \.isControl) }

  /// The scheme of an address in lower case; nil for a path. A single letter is a drive of Windows.
  private static func scheme(of name: String) -> String? {
    guard let colon = name.firstIndex(of: ":"), name[colon...].hasPrefix("://") else { return nil }
    let scheme = name[..<colon].lowercased()
    let isScheme =
      1 < scheme.count && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
    return isScheme ? scheme : nil
  }

  /// The name with its `%XX` escapes decoded; nil if one is malformed.
  private static func decoded(_ text: Substring) -> String? {
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(ofSystem: bytes)
  }
}
