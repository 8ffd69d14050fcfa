import ProsperKit

/// The argument of `--bell` and `--music`: the name of a built-in sound, a sound file, or an address.
struct SoundArgument {
  let sound: Session.Sound
  /// The length in seconds; infinite for an endless sound.
  let length: Double

  /// Finds the sound and opens it, which blocks.
  ///
  /// - Throws: a `Refusal` if the sound does not exist; if it can't be opened, the exit code, after an error has been
  ///   printed.
  init(_ text: String, of option: String, mayBeEndless: Bool) throws {
    let names = GeneratorDescription.builtIn.filter { mayBeEndless || !$0.isEndless }.map(\.name)
    sound = Session.Sound(try Self.origin(text, option, names))
    let facts: SoundFacts
    do throws(SourceError) {
      SessionPlan.fetch([sound.source], playsWhileDownloading: false, announcing: SessionPlan.announceDownload)
      facts = try Sounds().probe(sound.source, at: .studio)
    } catch {
      StandardError.say("\(option): \(error)")
      throw ExitStatus.missingInput.code
    }
    length = facts.length == .endless ? .infinity : SampleRate.studio.seconds(facts.length)
    if facts.length == .endless, !mayBeEndless {
      throw Refusal("\(option) '\(text.withoutControls)' never ends; \(Suggestion.fix(for: "", among: names))")
    }
    if facts.length == 0 { throw Refusal("\(option) '\(text.withoutControls)' contains no sound; choose another") }
  }

  /// Whether an argument is the address of a sound on the network.
  static func isAddress(_ text: String) -> Bool {
    ["http://", "https://"].contains(where: text.lowercased().hasPrefix)
  }

  /// - Parameter names: the built-in sounds that are suggested in place of an unknown one.
  private static func origin(
    _ text: String, _ option: String, _ names: [String]
  ) throws(Refusal) -> SoundSource.Origin {
    let name = text.hasPrefix("generate:") ? String(text.dropFirst(9)) : text
    if GeneratorDescription.builtIn.contains(where: { $0.name == name }) {
      return .generated(Recipe(generator: name))
    }
    if isAddress(text) { return .remote(address: text) }
    let path = absolutePath(of: text)
    if text.contains("/") || text.contains(".") || FilePath.exists(path) { return .file(path: path) }
    throw Refusal(
      "\(option): there is no built-in sound and no file '\(text.withoutControls)'; "
        + Suggestion.fix(for: name, among: names))
  }
}
