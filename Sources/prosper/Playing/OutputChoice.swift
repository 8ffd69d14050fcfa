import ArgumentParser
import ProsperKit

/// The output of a session: the argument of `--output`.
enum OutputChoice: Hashable, CustomStringConvertible {
  /// A sink of the sound server by name; nil for the default one.
  case pulse(sink: String?)
  /// A sound file, in the format of its extension.
  case file(path: String)
  /// Raw PCM on stdout, as fast as it is read.
  case standardOutput
  /// Raw PCM into a FIFO, in real time.
  case pipe(path: String)
  /// No sound, in real time or as fast as possible.
  case null(pace: Pace)

  /// Nil if the text is not a valid argument. A text without a known prefix is the path of a file.
  init?(argument: String) {
    switch argument {
    case "": return nil
    case "pulse": self = .pulse(sink: nil)
    case "-": self = .standardOutput
    case "null": self = .null(pace: .listener)
    case "null:fast": self = .null(pace: .players)
    default: self.init(withArgument: argument)
    }
  }

  /// Parses an output with a prefix, or a path.
  private init?(withArgument argument: String) {
    if let sink = argument.rest(after: "pulse:") {
      self = .pulse(sink: sink)
    } else if let path = argument.rest(after: "pipe:") {
      self = .pipe(path: path)
    } else if argument.hasPrefix("null:") || argument.hasPrefix("pulse:") || argument.hasPrefix("pipe:") {
      return nil
    } else {
      self = .file(path: argument)
    }
  }

  /// The argument as it is written after `--output`.
  var description: String {
    switch self {
    case .pulse(let sink): sink.map { "pulse:\($0)" } ?? "pulse"
    case .file(let path): path
    case .standardOutput: "-"
    case .pipe(let path): "pipe:\(path)"
    case .null(let pace): pace == .listener ? "null" : "null:fast"
    }
  }

  var isFile: Bool { if case .file = self { true } else { false } }

  /// Whether the output plays in real time. Live outputs are lenient by default: a listener wants to hear the rest of a
  /// session with a damaged sound.
  var isLive: Bool {
    switch self {
    case .pulse, .pipe, .null(.listener): true
    case .file, .standardOutput, .null(.players): false
    }
  }
}

extension String {
  /// The text after a prefix; nil if the prefix is missing or nothing follows it.
  fileprivate func rest(after prefix: String) -> String? {
    hasPrefix(prefix) && prefix.count < count ? String(dropFirst(prefix.count)) : nil
  }
}
