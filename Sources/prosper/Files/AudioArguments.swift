import ArgumentParser
import ProsperKit

/// The sound files that are given to `prosper new`.
enum AudioArguments {
  /// Decodes the files, on all processors. Silent ones are reported and left out.
  ///
  /// - Parameter voices: the files that become overlays, whatever their length.
  /// - Throws: the exit code, after an error for each file that can't be played has been printed; a `Refusal` if
  ///   nothing is left.
  static func examined(_ others: [String], voices: [String] = []) throws -> [ExaminedSound] {
    // A pattern of the shell may name a voice, too.
    let paths = others.filter { !FileIdentity.isOne($0, of: voices) } + voices
    if let address = paths.first(where: SoundArgument.isAddress) {
      throw Refusal("\(address.withoutControls): only files can be examined; download it, and give the file")
    }
    let library = Sounds()
    let results = Processors.map(paths) { path in
      let source = SoundSource(.file(path: absolutePath(of: path)))
      return Result { () throws(SourceError) in try SoundExamination(of: source, upTo: .infinity, in: library) }
    }
    return try sounds(paths, results, voices: Set(voices))
  }

  private static func sounds(
    _ paths: [String], _ results: [Result<SoundExamination, SourceError>], voices: Set<String>
  ) throws -> [ExaminedSound] {
    var (sounds, isComplete) = ([ExaminedSound](), true)
    for (path, result) in zip(paths, results) {
      switch result {
      case .success(let examination) where examination.damage == nil && examination.isSilent:
        StandardError.say("\(path): contains only silence, so it is not used")
      case .success(let examination):
        if let damage = examination.damage { StandardError.say("\(damage)") }
        isComplete = isComplete && examination.damage == nil
        sounds.append(ExaminedSound(path: absolutePath(of: path), examination))
        sounds[sounds.count - 1].isVoice = voices.contains(path)
      case .failure(let error):
        StandardError.say(error.description)
        isComplete = false
      }
    }
    if !isComplete { throw ExitStatus.missingInput.code }
    if sounds.isEmpty { throw Refusal("all sound files contain only silence; name other files") }
    return sounds
  }
}

extension ExaminedSound {
  fileprivate init(path: String, _ examination: SoundExamination) {
    let name = stem(of: path)
    self.init(
      path: path, title: Self.title(examination.facts.title) ?? Self.title(name) ?? "Untitled",
      length: examination.rate.seconds(examination.facts.length), level: examination.meter.level,
      isStrike: examination.isStrike)
  }

  /// The text as a title: one line of at most 60 characters; nil if it has no printable characters.
  private static func title(_ text: String?) -> String? {
    guard let text else { return nil }
    let words = text.titleWords()
    return words.isEmpty ? nil : String(words.prefix(60))
  }
}
