/// Why a sound can't be played. Each description is one sentence with the file or address, what is wrong, and a remedy
/// if one is known.
public enum SourceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The system can't read the file. `cause` says why.
  case unreadable(path: String, cause: String)
  /// The file can't be read now, but perhaps a moment later: the disk or the network does not answer.
  case unavailable(path: String, cause: String)
  /// The file can't be read now, because the system lacks open files, memory or threads.
  case shortage(path: String, cause: String)
  /// Something that is no file. `kind` says what it is, for example "folder".
  case notARegularFile(path: String, kind: String)
  /// A file without content.
  case empty(path: String)
  /// A file in a format that no decoder knows.
  case unknownFormat(path: String)
  /// A known format with a feature that can't be decoded. `what` is the rest of the sentence.
  case unsupported(path: String, what: String)
  /// The data can't be decoded, or end, before the end that the file states. `atSecond` is in seconds of the source.
  case damaged(path: String, atSecond: Double, cause: String)
  /// The requested part begins after the sound's end; both are in seconds.
  case emptyPart(path: String, start: Double, length: Double)
  /// There is no built-in sound with that name.
  case noSuchGenerator(name: String)
  /// The player has no voice left for it, because too many other sounds play.
  case tooManySounds(title: String)
  /// An address that can't be fetched. `isTransient`: perhaps a moment later it can, because only the network or the
  /// server has failed. `isTimeout`: because it did not answer in time.
  case remote(address: String, cause: String, isTransient: Bool = false, isTimeout: Bool = false)
  /// A text that can't be spoken.
  case speech(SpeechFailure)

  /// One sentence with the file or address, what is wrong, and a remedy if one is known.
  public var description: String {
    switch self {
    case .missing(let path): "\(path): no such file; check the path"
    case .unreadable(let path, let cause), .unavailable(let path, let cause), .shortage(let path, let cause):
      "\(path): can't be read: \(cause)"
    case .notARegularFile(let path, let kind): "\(path): is a \(kind), not a sound file; give the path of a file"
    case .empty(let path): "\(path): is empty; replace it with the complete file"
    case .unknownFormat(let path):
      "\(path): is not in a supported format; convert it to FLAC or WAV"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .damaged(let path, let second, let cause):
      "\(path): is damaged at \(hundredths(second)) s: \(cause); replace it with an intact copy"
    case .emptyPart(let path, let start, let length):
      "\(path): 'start' is \(hundredths(start)) s, but the sound ends at \(hundredths(length)) s; start earlier"
    case .noSuchGenerator(let name): "there is no built-in sound '\(name)'; correct its name"
    case .tooManySounds(let title): "\(title): too many sounds play at once; start it when some have ended"
    case .remote(let address, let cause, _, _): "\(address): can't be fetched: \(cause)"
    case .speech(let failure): failure.description
    }
  }

  /// Whether the source may be accessible if it is tried again at once, or at its next turn.
  package var isTransient: Bool {
    switch self {
    case .unavailable, .shortage: true
    case .remote(_, _, let isTransient, _): isTransient
    default: false
    }
  }

  /// Whether the system, not the source, is the cause.
  package var isShortage: Bool { if case .shortage = self { true } else { false } }

  /// Whether the source can't be accessed. False for a source that can be accessed but not decoded.
  package var isMissing: Bool {
    switch self {
    case .missing, .notARegularFile, .unreadable, .unavailable, .shortage, .remote, .speech: true
    default: false
    }
  }

  /// Whether it is a mistake of the session or of the voices, which has to be corrected.
  package var isMistake: Bool { if case .speech(let failure) = self { failure.isMistake } else { false } }
}

/// Seconds with two decimals, without Foundation.
private func hundredths(_ seconds: Double) -> String {
  guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds)" }
  let whole = Int64((seconds * 100).rounded())
  let rest = abs(whole % 100)
  return "\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
}
