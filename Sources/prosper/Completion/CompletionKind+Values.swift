import ArgumentParser
import ProsperKit

/// What the shells offer for the arguments of the commands. All of it is looked up when the user presses Tab.
extension CompletionKind {
  /// Session files, and sessions that are found by name.
  static let session = values { line in
    let files = FileCandidates(beginning: line.prefix).candidates(where: SessionLibrary.isSession)
    let named = SessionLibrary().entries.map { Candidate($0.name, note: "example session") }
    return files + (line.prefix.contains("/") ? [] : named)
  }

  /// The stages of the session that the line names.
  static let stage = values { line in
    line.session.map(stages)?.map { Candidate($0) } ?? []
  }

  /// The parameters of the session that the line names, and after `NAME=` the values of one.
  static let setting = values { line in SettingCandidates(of: line).all }

  /// The outputs of `--output`: those of the sound server, sound files, and the others by their names.
  static let output = values { line in
    if let path = line.prefix.rest(after: "pipe:") {
      return FileCandidates(beginning: path).candidates { _ in true }.map { Candidate("pipe:" + $0.value) }
    }
    let sinks = line.prefix.isPrefix(of: "pulse:") || line.prefix.hasPrefix("pulse:") ? OutputNames.sinks : []
    return OutputNames.fixed + sinks + Candidate.soundFiles(line)
  }

  /// The names of the built-in sounds.
  static let builtInSound = values { _ in Candidate.builtIn() }

  /// The voices of `voices.yaml`, and the languages of espeak-ng.
  static let voice = values { _ in
    let list = VoiceList(language: nil)
    return list.named.map { Candidate($0.name, note: $0.voice.engine.name) }
      + list.offers.map { Candidate($0.language, note: $0.title) }
  }

  /// The names of the built-in sounds, and sound files.
  static let soundOrFile = values { line in Candidate.builtIn() + Candidate.soundFiles(line) }

  /// The process IDs of the running players.
  static let player = values { _ in
    ControlFolder.all.flatMap { $0.players() }.map { Candidate($0, note: "player") }
  }

  /// The words of a command for a player.
  static let control = values { ControlCandidates(of: $0).all }

  /// Candidates that a function finds.
  private static func values(_ find: @escaping @Sendable (TypedLine) -> [Candidate]) -> CompletionKind {
    .custom { words, index, prefix in
      find(TypedLine(words, index, prefix)).compactMap { $0.text(for: .requesting) }
    }
  }

  /// The names of the stages of a session file; none if it has errors.
  static func stages(of path: String) -> [String] {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    return (try? reader.read(path: path).session)?.stages.map(\.name) ?? []
  }
}

extension Candidate {
  /// The built-in sounds.
  static func builtIn(prefix: String = "") -> [Candidate] {
    GeneratorDescription.builtIn.map { Candidate(prefix + $0.name, note: $0.summary) }
  }

  /// The sound files that begin with what has been typed, and the folders.
  static func soundFiles(_ line: TypedLine) -> [Candidate] {
    FileCandidates(beginning: line.prefix).candidates { name in
      (OutputNames.extensions + OutputNames.onlyRead).contains { name.lowercased().hasSuffix($0) }
    }
  }
}

/// The values of `--output` that are not files.
private enum OutputNames {
  static let extensions = [".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif", ".caf"]
  /// Of some of the files that prosper plays, and doesn't write.
  static let onlyRead = [".m4a", ".m4b", ".aac", ".wma", ".wv", ".mka", ".webm", ".spx", ".oga", ".ape", ".ac3"]

  static let fixed = [
    Candidate("pulse", note: "the default output of the sound server"),
    Candidate("null", note: "no sound, in real time"), Candidate("null:fast", note: "no sound, as fast as possible"),
    Candidate("snapcast://", note: "a source of a Snapcast server, for several rooms"),
    Candidate("icecast://", note: "a mount of an Icecast server, for listeners elsewhere"),
    Candidate("pipe:", note: "raw PCM into a FIFO, in real time"), Candidate("-", note: "raw PCM on stdout"),
  ]

  /// The outputs of the sound server; none if no server answers.
  static var sinks: [Candidate] {
    let outputs = (try? PulseSurvey.ofServer())?.outputs ?? []
    return outputs.map { Candidate("pulse:\($0.name)", note: $0.description) }
  }
}

extension String {
  /// The text after a prefix; nil if the text does not begin with it.
  fileprivate func rest(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }

  fileprivate func isPrefix(of text: String) -> Bool { text.hasPrefix(self) }
}
