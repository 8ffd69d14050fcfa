import ArgumentParser
import ProsperKit
import Synchronization

/// `prosper compare`: says whether two sounds are the same, and how they differ.
struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares two sound files or sessions, sample by sample.",
    usage: """
      prosper compare A B
      prosper compare release.yaml session.yaml
      prosper compare golden.flac session.yaml --report diff.html
      prosper compare before.wav after.wav --diff diff.wav
      """,
    discussion: """
      A session is rendered without being played. A and B are the same if no sample of their difference exceeds \
      --residual, and if their lengths are equal. Otherwise prosper prints the first and the worst second, where B is \
      louder or softer than A and by how much, where only one of them has sound, a gain or a shift in time that \
      explains the difference, and the seconds that are missing or added at the end. Of two sessions it also names the \
      layers that differ: music, overlays or gongs, each with its volume, before the master volume.

      Two files are compared at the sample rate of A. A session is rendered at the rate of the file or session with \
      which it is compared, and in mono if that file is mono. Lossy files, such as MP3, are never the same as what they \
      were made from; they need a higher --residual.

      Exit codes: 0 the same · 1 different · 64 wrong usage · 65 a session is invalid or a sound is damaged · \
      66 a file is missing or can't be played · 73 and 74 a file can't be created or written.
      """)

  @Argument(help: "A sound file, a session file, or a name of 'prosper sessions'.", completion: .file())
  var a: String

  @Argument(help: "What is compared with it.", completion: .file())
  var b: String

  @OptionGroup var parameters: SettingOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The level in dBFS up to which a sample of the difference counts as none.", valueName: "level"))
  var residual = -80.0

  @Option(help: ArgumentHelp("Writes the difference, A minus B, to this sound file.", valueName: "file"))
  var diff: String?

  @Option(help: ArgumentHelp("Writes a page with drawings of both to this HTML file.", valueName: "file"))
  var report: String?

  @Flag(help: "Prints a JSON object.")
  var json = false

  func validate() throws {
    if !(-200.0...0 ~= residual) { throw ValidationError("--residual must be a number of dBFS from -200 to 0") }
    if a == "-", b == "-" { throw ValidationError("stdin can be read only once; name a file for A or B") }
    // Other formats can't hold each difference: it may exceed full scale.
    if let diff, ![".wav", ".aiff", ".caf"].contains(where: diff.lowercased().hasSuffix) {
      throw ValidationError("--diff needs a file whose samples are floating-point numbers; write .wav, .aiff or .caf")
    }
  }

  func run() async throws {
    var known: [SessionParameter] = []
    let sounds = [try sound(a, &known), try sound(b, &known)]
    try parameters.check(known)
    let inputs = sounds.flatMap(\.inputs)
    try TextFile.check([report].compactMap(\.self), beside: diff, sparing: inputs, "a file that is compared")
    let comparison = try await compare(sounds[0], sounds[1])
    let result = CompareReport(comparison)
    for error in comparison.damage { StandardError.say(error.description) }
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    out.write(json ? result.json : result.text)
    try out.finish()
    if let report {
      try TextFile.write(to: report, .replace, sparing: inputs) { $0.write(ComparePage(result).html) }
    }
    if !comparison.damage.isEmpty { throw ExitStatus.invalidData.code }
    throw (comparison.isSame ? ExitStatus.finished : .expectationFailed).code
  }

  private func compare(_ a: ComparedSound, _ b: ComparedSound) async throws -> Comparison {
    let progress = PassProgress()
    defer { progress.end() }
    do throws(ComparisonError) {
      return try await Comparison(a, b, limit: residual, diffPath: diff.map(absolutePath)) { progress.show($0, $1) }
    } catch {
      progress.end()
      switch error {
      case .measuring(let error): throw Self.code(of: error, "\(self.a), \(self.b)")
      case .output(let error):
        StandardError.say(error.description)
        throw ExitStatus(error).code
      }
    }
  }

  /// - Parameter known: gets the parameters of a session.
  private func sound(_ argument: String, _ known: inout [SessionParameter]) throws -> ComparedSound {
    guard let session = SessionLibrary.session(argument) else {
      do throws(MeasuringError) {
        return try ComparedSound(ofFile: absolutePath(of: argument), named: argument)
      } catch { throw Self.code(of: error, argument) }
    }
    let plan = SessionPlan.read(session, settings: parameters.settingsForSeveral)
    known += plan.parameters
    plan.printProblems()
    if plan.status != .finished { throw plan.status.code }
    if let stage = plan.endlessStage { throw Self.code(of: .open(stage: stage), argument) }
    return ComparedSound(of: plan, named: argument)
  }

  /// The exit code of an error, after it has been printed.
  private static func code(of error: MeasuringError, _ name: String) -> ExitCode {
    if case .sound(let cause) = error {
      StandardError.say(cause.description)
    } else {
      StandardError.say("\(name): \(error)")
    }
    return error.status.code
  }
}

extension MeasuringError {
  /// The exit status for it.
  var status: ExitStatus {
    switch self {
    case .sound(let cause): cause.isMissing ? .missingInput : .invalidData
    // As for a session that is to be rendered into a file.
    case .open: .usage
    case .unplayable, .library: .missingInput
    }
  }
}

/// A line for the current pass on stderr, as `ProgressLine`.
private final class PassProgress: Sendable {
  private let state = Mutex<(pass: Comparison.Pass, line: ProgressLine)?>(nil)

  func show(_ pass: Comparison.Pass, _ part: Double) {
    state.withLock { state in
      if state?.pass != pass {
        state?.line.end()
        state = (pass, ProgressLine(Self.words(of: pass)))
      }
      state?.line.show(part)
    }
  }

  func end() { state.withLock { $0?.line.end() } }

  private static func words(of pass: Comparison.Pass) -> String {
    switch pass {
    case .differences: "comparing"
    case .shift: "looking for a shift"
    case .rest: "comparing with the shift"
    }
  }
}
