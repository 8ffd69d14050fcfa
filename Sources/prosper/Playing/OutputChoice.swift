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
  /// A source of a Snapcast server.
  case snapcast(SnapcastSource)
  /// A mount of an Icecast server.
  case icecast(IcecastMount)

  /// Parses an argument. A text without a known prefix is the path of a file.
  ///
  /// - Throws: why the text is no output: the end of a sentence.
  init(argument: String) throws(Mistake) {
    let scheme = argument.prefix { $0 != ":" }.lowercased()
    if argument.dropFirst(scheme.count).hasPrefix("://")
      || ["snapcast:", "icecast:", "icecasts:"].contains(where: argument.lowercased().hasPrefix)
    {
      self = try Self.server(argument, scheme)
    } else if let output = Self(local: argument) {
      self = output
    } else {
      throw Mistake(
        reason: "it is not an output; write pulse, pulse:SINK, a file, -, pipe:PATH, null, null:fast, "
          + "snapcast://HOST/SOURCE or icecast://HOST/MOUNT.opus")
    }
  }

  struct Mistake: Error { var reason: String }

  private static func server(_ argument: String, _ scheme: String) throws(Mistake) -> OutputChoice {
    switch scheme {
    case "snapcast":
      do throws(SnapcastSource.Mistake) { return .snapcast(try SnapcastSource(argument)) } catch {
        throw Mistake(reason: error.reason)
      }
    case "icecast", "icecasts":
      do throws(IcecastMount.Mistake) { return .icecast(try IcecastMount(argument)) } catch {
        throw Mistake(reason: error.reason)
      }
    default: throw Mistake(reason: "it is no output that prosper knows; write snapcast:// or icecast://")
    }
  }

  /// Parses an output of this computer.
  private init?(local argument: String) {
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
    case .snapcast(let source): "\(source)"
    case .icecast(let mount): "\(mount)"
    }
  }

  /// Whether the sound is encoded in a format that can be compressed.
  var isEncoded: Bool {
    switch self {
    case .file, .icecast: true
    case .pulse, .standardOutput, .pipe, .null, .snapcast: false
    }
  }

  /// Whether the output plays in real time. Live outputs are lenient by default: a listener wants to hear the rest of a
  /// session with a damaged sound.
  var isLive: Bool {
    switch self {
    case .pulse, .pipe, .null(.listener), .snapcast, .icecast: true
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
