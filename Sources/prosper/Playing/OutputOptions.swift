public import ArgumentParser
public import ProsperKit

extension SampleEncoding: ExpressibleByArgument {}
extension AudioSessionManager.Mode: ExpressibleByArgument {}

/// The options for the output and its events, which `play`, `sit` and `sounds --play` share.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customLong("output"), .customShort("o")], parsing: .singleValue,
    help: ArgumentHelp(
      "Where the sound goes: pulse, pulse:SINK, a file (.wav .flac .ogg .opus .mp3 .aiff .caf), - (raw PCM on stdout), "
        + "pipe:PATH (raw PCM into a FIFO, live), null (no sound, in real time), null:fast (as fast as possible), "
        + "snapcast://HOST[:PORT]/SOURCE or icecast://USER@HOST[:PORT]/MOUNT.opus. Given several times, the first live "
        + "one leads, and the others get what is heard there. (default: pulse)",
      valueName: "out"),
    completion: .output,
    transform: { text in
      do throws(OutputChoice.Mistake) { return try OutputChoice(argument: text) } catch {
        throw ValidationError(error.reason)
      }
    })
  var outputs: [OutputChoice] = []

  /// All outputs.
  var choices: [OutputChoice] { outputs.isEmpty ? [.pulse(sink: nil)] : outputs }

  /// Whether the session plays in real time.
  var isLive: Bool { choices.contains(where: \.isLive) }

  /// The paths of the files.
  var files: [String] { choices.compactMap { if case .file(let path) = $0 { path } else { nil } } }

  /// Whether the sound goes to stdout.
  var usesStandardOutput: Bool { choices.contains(.standardOutput) }

  @Option(
    help: ArgumentHelp(
      "A file with the password of an Icecast server, or /dev/fd/3 for an open descriptor. Given once, it is for "
        + "all icecast:// outputs; given several times, one for each in their order. Without this option, the keyring is "
        + "asked.", valueName: "file"),
    completion: .file())
  var passwordFile: [String] = []

  @Option(
    help: ArgumentHelp(
      "Groups of a Snapcast server, by name or client, separated by commas. They listen to the session while it plays, "
        + "and then to what they listened to before.", valueName: "a,b"))
  var groups: String?

  @Option(help: "Sample encoding of files and PCM: s16, s24 or f32 (default: s24 if the file format has it).")
  var encoding: SampleEncoding?

  @Option(
    help: ArgumentHelp(
      "How events are printed on stdout: auto (text on a terminal, JSON Lines otherwise), text, jsonl, jsonl:1 "
        + "(states without crossfades) or off."))
  var events = EventChoice.auto

  @Flag(name: .shortAndLong, help: "Prints neither events nor a status line, only errors.")
  var quiet = false

  @Flag(help: "Prints without colours, as with the environment variable NO_COLOR.")
  var noColor = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for a lost sound server; prosper exits with 75 if it does not come back in time. (default: 5m)",
      valueName: "duration"),
    transform: TimeLimit.reader(like: "90s, 5m or 1:30"))
  var giveUpAfter = TimeLimit(seconds: 300)

  @Option(
    help: ArgumentHelp(
      "How long to wait at the start for a sound server or an output device that does not exist yet, as when the "
        + "computer has just been switched on. After that, prosper exits with 69. (default: 0s)",
      valueName: "duration"),
    transform: TimeLimit.reader(like: "30s, 2m or 1:30"))
  var waitForServer = TimeLimit(seconds: 0)

  @Option(
    help: ArgumentHelp(
      "How long a live session waits for a sound to open, at each of two attempts. (default: 4s to 10s, according to "
        + "the time that the last sounds took)", valueName: "duration"),
    transform: { text in
      guard let limit = TimeLimit(argument: text), 0 < limit.seconds else {
        throw ValidationError("it is not a duration above 0 s; write it like 500ms, 20s or 1m")
      }
      return limit
    })
  var loadTimeout: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "managed: prosper reconnects to a lost sound server, pauses for calls and unplugged headphones, and keeps the "
        + "computer awake. external: prosper leaves this to other programs, and exits with 75 if the output is lost."))
  var sessionMode = AudioSessionManager.Mode.managed

  @Option(
    help: ArgumentHelp(
      "How many threads decode sounds for a file, stdout or null:fast, and how many encode a FLAC file. This has no "
        + "effect on the samples. 1 to 64 (default: one for each processor that prosper may use)", valueName: "number"))
  var jobs: Int?

  @Option(help: .hidden)
  var blockFrames = 4_096

  @Option(help: .hidden)
  var pieceFrames: Int?

  mutating func validate() throws {
    if quiet { events = .off }
    try validateOutputs()
    if let jobs, !(RenderOptions.jobCounts ~= jobs) {
      let (least, most) = (RenderOptions.jobCounts.lowerBound, RenderOptions.jobCounts.upperBound)
      throw ValidationError("--jobs must be a number from \(least) to \(most)")
    }
    if let pieceFrames, !(1...100_000_000 ~= pieceFrames) {
      throw ValidationError("--piece-frames must be a number from 1 to 100000000")
    }
    guard 1...1_000_000 ~= blockFrames else {
      throw ValidationError("--block-frames must be a number from 1 to 1000000")
    }
  }

  /// The mounts of Icecast servers.
  var mounts: [IcecastMount] { choices.compactMap { if case .icecast(let mount) = $0 { mount } else { nil } } }

  private func validateOutputs() throws {
    var seen: Set<String> = []
    if let twice = choices.first(where: { !seen.insert($0.description).inserted }) {
      throw ValidationError("--output \(twice) is given twice; leave one out")
    }
    for (index, path) in files.enumerated() where FileIdentity.isOne(path, of: Array(files[..<index])) {
      throw ValidationError("--output \(path) is the file of another output; leave one out")
    }
    if 1 < choices.count(where: { $0 == .standardOutput || $0 == .null(pace: .players) }) {
      throw ValidationError("--output - and null:fast can't be combined; leave one out")
    }
    if isLive, usesStandardOutput {
      throw ValidationError(
        "--output - can't be combined with a live output, because its reader would determine the pace; "
          + "write pipe:PATH")
    }
    if !passwordFile.isEmpty, mounts.isEmpty {
      throw ValidationError("--password-file is for an Icecast server; add --output icecast://HOST/MOUNT.opus")
    }
    if 1 < passwordFile.count, passwordFile.count != mounts.count {
      throw ValidationError(
        "--password-file is given \(passwordFile.count) times for \(counted(mounts.count, "mount", "mounts")); give one "
          + "for all, or one for each")
    }
    let hasRooms = choices.contains { if case .snapcast = $0 { true } else { false } }
    if groups != nil, !hasRooms {
      throw ValidationError("--groups needs a Snapcast server; add --output snapcast://HOST/SOURCE")
    }
    if groups != nil, groupNames.isEmpty {
      throw ValidationError("--groups has no name; write --groups 'Hall,Kitchen'")
    }
  }

  /// Whether all options have their default values.
  var areStandard: Bool {
    choices == [.pulse(sink: nil)] && jobs == nil && encoding == nil && events == .auto
      && giveUpAfter == TimeLimit(seconds: 300) && waitForServer == TimeLimit(seconds: 0)
      && sessionMode == .managed && loadTimeout == nil
  }

  /// The groups that listen to the session.
  var groupNames: [String] {
    (groups ?? "").split(separator: ",").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
  }
}

/// The argument of `--events`.
enum EventChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, text, jsonl
  case simpleJSONL = "jsonl:1"
  case off
}
