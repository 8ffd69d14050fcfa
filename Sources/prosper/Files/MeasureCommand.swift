import ArgumentParser
import Glibc
import ProsperKit

/// `prosper measure`: prints the levels of sound files and sessions.
struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measures loudness and peaks of sound files and sessions.",
    usage: """
      prosper measure FILE...
      prosper measure morning.mp3 --target podcast
      prosper measure session.yaml --json
      """,
    discussion: """
      A session is rendered without being played, and measured as a whole and for each of its stages. Loudness is \
      measured by EBU R128 in LUFS, true peaks by ITU-R BS.1770 in dBTP; a file with one channel is measured in mono. \
      The noise floor is the level of the quietest half second. Silence is what does not exceed -60 dBFS.

      Targets: \(PublishingTarget.all.map { "\($0.name), \($0.summary)" }.joined(separator: " · ")).

      Exit codes: 0 measured, and the target is met · 1 the target is not met · 65 a session is invalid or a sound is \
      damaged · 66 a file is missing or can't be played.
      """)

  @Argument(
    help: "Sound files, session files, or names of 'prosper sessions'.", completion: .file())
  var files: [String]

  @OptionGroup var parameters: SettingOptions

  @Flag(help: "Prints JSON Lines: an object for each file.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Compares each file with what this place of publication asks, and exits with 1 if it is not met.",
      valueName: "name"),
    completion: .list(PublishingTarget.all.map(\.name)), transform: MeasureCommand.target)
  var target: PublishingTarget?

  /// The target with a name.
  static func target(named name: String) throws -> PublishingTarget {
    if let target = PublishingTarget(name: name) { return target }
    let fix = Suggestion.fix(for: name, among: PublishingTarget.all.map(\.name))
    throw ValidationError("there is no target '\(name)'; \(fix)")
  }

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one sound file or session") }
  }

  func run() async throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    let table = LevelTable(named: files)
    var (worst, hasHead, known) = (ExitStatus.finished, json, [SessionParameter]())
    for file in files {
      let (report, status) = await measure(file, &known)
      if report != nil, !hasHead {
        out.write(table.head)
        hasHead = true
      }
      if let report { out.write(json ? report.json : table.lines(of: report)) }
      out.flush()
      if worst == .finished || worst == .expectationFailed, status != .finished { worst = status }
    }
    try out.finish()
    try parameters.check(known)
    throw worst.code
  }

  /// - Parameter known: gets the parameters of a session.
  private func measure(_ file: String, _ known: inout [SessionParameter]) async -> (LevelReport?, ExitStatus) {
    let session = SessionLibrary.session(file)
    let progress = ProgressLine("measuring \(FilePath.parts(of: file).last ?? "")")
    defer { progress.end() }
    do throws(MeasuringError) {
      var (levels, title): (Measurement, String?)
      if let session {
        let plan = SessionPlan.read(session, settings: parameters.settingsForSeveral)
        known += plan.parameters
        plan.printProblems()
        if plan.status != .finished { return (nil, plan.status) }
        title = plan.layout?.programme.title
        levels = try await Measurement(of: plan, isMono: target?.channels == 1) { progress.show($0) }
      } else {
        (levels, title) = (try Measurement(ofFile: absolutePath(of: file)) { progress.show($0) }, nil)
      }
      for error in levels.damage { StandardError.say(error.description) }
      let problems = target?.problems(of: levels.levels, ofFile: session == nil ? file : nil, levels)
      let report = LevelReport(file: file, title: title, measurement: levels, problems: problems ?? [])
      for problem in problems ?? [] { StandardError.printPlain("\(file): \(target?.name ?? ""): \(problem)") }
      if !levels.damage.isEmpty { return (report, .invalidData) }
      return (report, problems?.isEmpty == false ? .expectationFailed : .finished)
    } catch {
      progress.end()
      if case .sound(let cause) = error {
        StandardError.say(cause.description)
      } else {
        StandardError.say("\(file): \(error)")
      }
      return (nil, error.status)
    }
  }
}

extension PublishingTarget {
  /// What is wrong with a sound file, or with a session, whose format is not fixed before it is rendered.
  fileprivate func problems(of levels: SoundLevels, ofFile file: String?, _ measurement: Measurement) -> [String] {
    var problems = problems(of: levels)
    guard let file else { return problems }
    if let sampleRate, sampleRate != measurement.sampleRate {
      problems.append("its sample rate is \(measurement.sampleRate) Hz instead of \(sampleRate) Hz")
    }
    guard let mp3BitRate else { return problems }
    if !file.lowercased().hasSuffix(".mp3") {
      problems.append("it is not an MP3 file")
    } else if let bits = measurement.bitRate(ofFile: absolutePath(of: file)), abs(bits / Double(mp3BitRate) - 1) > 0.05
    {
      problems.append("its bit rate is \(Int(bits / 1_000)) kbit/s instead of \(mp3BitRate / 1_000) kbit/s")
    }
    return problems
  }
}
