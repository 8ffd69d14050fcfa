import ArgumentParser
import Glibc
import ProsperKit
import Synchronization

/// `prosper show`: prints or draws the timeline of a session.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints the timeline of a session with exact times, without playing it.",
    usage: """
      prosper show SESSION
      prosper show SESSION --json
      prosper show SESSION --duration 12m
      prosper show SESSION --set lang=de --resolved
      prosper show SESSION --svg timeline.svg
      prosper show SESSION --chapters sit.json --cue sit.cue
      prosper show SESSION --captions sit.vtt
      prosper show SESSION --bundle FOLDER
      """)

  @Argument(
    help: "The session: a file, JSON or YAML, a name of 'prosper sessions', or - for stdin.", completion: .session,
    transform: SessionLibrary.file)
  var session: String

  @Flag(help: "Prints one JSON object with all stages, tracks, fades and cues, in seconds and frames.")
  var json = false

  @Flag(
    help:
      "Prints the session as commands with times, one JSON object per line: to compare sessions, not to use as a script."
  )
  var commands = false

  @Flag(
    help: """
      Prints the session as one file, in the format of its file: with the values of its parameters, and what it includes \
      in its place.
      """)
  var resolved = false

  @OptionGroup var parameters: SettingOptions

  @Option(
    help: ArgumentHelp("Draws the timeline as an SVG picture into this file; - is stdout.", valueName: "file"),
    completion: .file())
  var svg: String?

  @Option(
    help: ArgumentHelp(
      "Writes the stages as chapters of a podcast (JSON, version 1.2) into this file; - is stdout.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var chapters: String?

  @Option(
    help: ArgumentHelp(
      "Writes the stages as a cue sheet into this file; - is stdout. It names the sound file beside it that has the "
        + "same name, or else a .wav file.", valueName: "file"),
    completion: .file(extensions: ["cue"]))
  var cue: String?

  @Option(
    help: ArgumentHelp("Writes the stages as labels for Audacity into this file; - is stdout.", valueName: "file"),
    completion: .file(extensions: ["txt"]))
  var labels: String?

  @Option(
    help: ArgumentHelp(
      "Writes what is said, and when, into this file: captions for videos (.vtt, .srt) or lyrics for players (.lrc).",
      valueName: "file"),
    completion: .file(extensions: ["vtt", "srt", "lrc"]))
  var captions: String?

  @Option(
    help: ArgumentHelp(
      "Writes the session into this folder with all its sounds, so that it plays on another computer: parameters are "
        + "filled in, and texts are sound files. The folder must be empty, or not exist.", valueName: "folder"),
    completion: .directory)
  var bundle: String?

  @Option(
    help: ArgumentHelp(
      "Stretches or shortens the session to this length, as 'prosper play --duration' does.", valueName: "duration"))
  var duration: String?

  /// The format for the suffix of `captions`; nil for another suffix.
  private var captionFormat: CaptionList.Format? {
    captions.flatMap { path in CaptionList.Format.allCases.first { path.lowercased().hasSuffix(".\($0.rawValue)") } }
  }

  func validate() throws {
    if let captions, captionFormat == nil {
      throw ValidationError("--captions '\(captions.withoutControls)' must end with .vtt, .srt or .lrc")
    }
    if json, commands { throw ValidationError("--json and --commands can't be combined; give only one") }
    if let file = files().first, json || commands || resolved {
      throw ValidationError("\(file.option) can't be combined with --json, --commands or --resolved; give only one")
    }
    if resolved, json || commands || duration != nil {
      throw ValidationError("--resolved can't be combined with --json, --commands or --duration; give only one")
    }
    if bundle != nil, let other = files().first?.option ?? printing {
      throw ValidationError("--bundle can't be combined with \(other); give only one")
    }
    if bundle == "-" || bundle == "" { throw ValidationError("--bundle needs the name of a folder") }
    let printed = files().filter { $0.path == "-" }
    if 1 < printed.count {
      throw ValidationError("\(printed[0].option) and \(printed[1].option) can't both write to stdout; name a file")
    }
  }

  /// The option that decides what is printed; nil for none.
  private var printing: String? { json ? "--json" : commands ? "--commands" : resolved ? "--resolved" : nil }

  /// The files to write, each with its option.
  ///
  /// - Parameter waveforms: the sound of the session for the picture; nil if it is not known.
  private func files(
    showing waveforms: Waveforms? = nil
  ) -> [(option: String, path: String, report: TimelineReport)] {
    let files: [(String, String?, TimelineReport)] = [
      ("--svg", svg, .svg(waveforms)), ("--chapters", chapters, .chapters),
      ("--cue", cue, .cueSheet(of: SoundBeside.name(cue ?? "-", session: session))), ("--labels", labels, .labels),
      ("--captions", captions, .captions(captionFormat ?? .vtt)),
    ]
    return files.compactMap { option, path, report in path.map { (option, $0, report) } }
  }

  func run() throws {
    var plan = SessionPlan.read(
      session, settings: parameters.repeatableSettings,
      measures: commands || svg != nil || resolved || bundle != nil ? .levelled : .all)
    do throws(Refusal) { try plan.fit(to: try FittedLength.seconds(duration)) } catch {
      StandardError.say(error.reason)
      throw ExitStatus.usage.code
    }
    plan.printProblems()
    if resolved {
      if let text = plan.resolvedText { try print(text) }
      throw plan.status.code
    }
    if let bundle { return try BundleWriter(folder: bundle).write(plan) }
    guard let timeline = plan.timeline else { throw plan.status.code }
    try checkStages(of: timeline)
    try TextFile.check(files().map(\.path).filter { $0 != "-" }, sparing: plan.inputs)
    let waveforms = svg == nil ? nil : Self.waveforms(of: plan)
    for file in files(showing: waveforms) {
      try write(timeline, as: file.report, into: file.path, sparing: plan.inputs)
    }
    if files().isEmpty { try print(timeline, as: json ? .json : commands ? .commands : .text) }
    // The timeline is printed without the sounds that can't be played, and the exit code reports them.
    if plan.status != .finished { throw plan.status.code }
  }

  /// Renders a session to see its sound; nil if that takes too long, or if libebur128 or threads are missing.
  private static func waveforms(of plan: SessionPlan) -> Waveforms? {
    let progress = ProgressLine("drawing the sound")
    defer { progress.end() }
    let waveforms = Mutex<Waveforms?>(nil)
    try? TaskThreads.run {
      let drawn = await plan.waveforms { progress.show($0) }
      waveforms.withLock { $0 = drawn }
    }
    return waveforms.withLock { $0 }
  }

  private func print(_ text: String) throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    out.writeExactly(text)
    try out.finish()
  }

  private func print(_ timeline: Timelines.Timeline, as format: TimelineReport, endsWithReader: Bool = false) throws {
    let out = LineWriter(descriptor: 1, endsWithReader: endsWithReader)
    format.write(timeline, out.write)
    try out.finish()
  }

  /// Refuses lists of stages without times.
  private func checkStages(of timeline: Timelines.Timeline) throws {
    let option = [("--chapters", chapters), ("--cue", cue), ("--labels", labels), ("--captions", captions)].first {
      $0.1 != nil
    }?.0
    if let option, let stage = timeline.openStage {
      StandardError.say(
        "\(option): stage '\(stage.withoutControls)' is open, so the times after it are unknown; give it a duration")
      throw ExitStatus.usage.code
    }
    // Captions reach to the end, also into an open last stage.
    if captions != nil, timeline.end == nil, let last = timeline.stages.last {
      StandardError.say(
        "--captions: stage '\(last.name.withoutControls)' is open, so its end is unknown; give it a duration")
      throw ExitStatus.usage.code
    }
    if cue != nil, 99 < timeline.stages.count {
      StandardError.say("--cue: a cue sheet has at most 99 tracks; use --chapters or --labels for more stages")
      throw ExitStatus.usage.code
    }
  }

  private func write(
    _ timeline: Timelines.Timeline, as report: TimelineReport, into path: String, sparing inputs: [String]
  ) throws {
    if path == "-" { return try print(timeline, as: report, endsWithReader: true) }
    try TextFile.write(to: path, .replace, sparing: inputs) { report.write(timeline, $0.write) }
  }
}

/// The sound file that a cue sheet describes.
private enum SoundBeside {
  private static let extensions = ["wav", "flac", "mp3", "ogg", "opus", "aiff", "caf"]

  /// The name of the sound file beside a cue sheet that has the same name except for the extension; if there is none, that
  /// of a WAV file. On stdout, the sheet has the name of the session.
  static func name(_ path: String, session: String) -> String {
    let path = path == "-" ? session : path
    let name = path.split(separator: "/").last.map(String.init) ?? "session"
    let stem = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : String(name[..<$0]) } ?? name
    let folder = path.dropLast(name.count)
    let found = extensions.first { access("\(folder)\(stem).\($0)".forSystem, F_OK) == 0 }
    return (stem == "-" ? "session" : stem) + "." + (found ?? "wav")
  }
}
