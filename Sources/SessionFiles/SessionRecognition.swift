import Files
package import Markup

extension SessionFile {
  /// Whether a JSON or YAML file is a session: it names the version of the session format, which scripts and other files
  /// don't, and has more than sounds and parameters for other sessions, or times for them. A file with a mistake, which
  /// can't be parsed, is one if a line of it looks like that.
  ///
  /// - Parameter countsParts: whether a file with only sounds, parameters or times is one, too.
  package static func isSession(_ path: String, countsParts: Bool = false) -> Bool {
    guard let bytes = try? bytes(path) else { return false }
    do throws(Diagnostic) {
      let root = try SessionReader.markup(try TextBytes.text(bytes, file: path), path: path)
      return root.has(["prosper"]) && (countsParts || !SessionPart.isLibrary(root) && !isDay(root))
    } catch {
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
        $0.firstMatch(of: versionKey) != nil
      }
    }
  }

  /// Whether a file states at which times of a day sessions play, and is no session itself.
  package static func isDay(_ root: Node) -> Bool { root.has(["times"]) && !root.has(["stages"]) }

  /// The key of the version, of a block or a flow of YAML, or of JSON.
  private static var versionKey: Regex<Substring> { /(?:^|[{,])[\s\u{FEFF}]*["']?prosper["']?\s*:/ }
}
