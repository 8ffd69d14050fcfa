/// Why a sound can't be played; each case is one sentence with the place and, where there is one, the mend.
public enum SourceError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String, cause: String)
  case notARegularFile(path: String, kind: String)
  case empty(path: String)
  case unknownFormat(path: String)
  case unsupported(path: String, what: String)
  /// The data stop making sense, or stop, before the end that the file promised.
  case damaged(path: String, atSecond: Double, cause: String)
  /// The part that is asked for begins behind the sound's end.
  case emptyPart(path: String, start: Double, length: Double)
  case noSuchGenerator(name: String)
  case remote(address: String, cause: String)

  public var description: String {
    switch self {
    case .missing(let path):
      "\(path): no such file; check the path, which is taken from the session file's folder"
    case .unreadable(let path, let cause): "\(path): can't be read: \(cause)"
    case .notARegularFile(let path, let kind): "\(path): is a \(kind), not a sound file"
    case .empty(let path): "\(path): is empty; replace it by the whole file"
    case .unknownFormat(let path):
      "\(path): is no sound file that prosper knows (WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3)"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .damaged(let path, let second, let cause):
      "\(path): is damaged at \(hundredths(second)) s: \(cause); replace it by an intact copy"
    case .emptyPart(let path, let start, let length):
      "\(path): its part begins at \(hundredths(start)) s, behind its end at \(hundredths(length)) s"
    case .noSuchGenerator(let name): "there is no built-in sound '\(name)'; 'prosper sounds' lists them"
    case .remote(let address, let cause): "\(address): can't be fetched: \(cause)"
    }
  }

  /// Whether the source is not there at all, as opposed to there and unusable.
  public var isMissing: Bool {
    switch self {
    case .missing, .notARegularFile, .unreadable, .remote: true
    default: false
    }
  }
}

/// Seconds to two decimals, without Foundation.
private func hundredths(_ seconds: Double) -> String {
  guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds)" }
  let whole = Int64((seconds * 100).rounded())
  let rest = abs(whole % 100)
  return "\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
}
