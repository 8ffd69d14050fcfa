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
      "A file with the password of an Icecast server, or /dev/fd/3 for an open descriptor. Given several times, one for "
        + "each icecast:// output in their order.", valueName: "file"),
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
    help: ArgumentHelp("Bit rate of an Opus file, or constant bit rate of an MP3 file: 128k.", valueName: "rate"),
    transform: { text in
      guard let bits = BitRate.bits(text) else {
        throw ValidationError("it is not a bit rate; write it like 128k")
      }
      return bits
    })
  var bitrate: Int?

  @Option(
    help: ArgumentHelp(
      "Quality of an Ogg Vorbis file, or of an MP3 file with a variable bit rate: 0 (small) to 10 (best). (default: 4, "
        + "and 8 for MP3)", valueName: "quality"))
  var quality: Double?

  @Flag(help: "Writes no chapters. Otherwise each stage is a chapter of an MP3, FLAC, Ogg Vorbis or Opus file.")
  var noChapters = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Brings a file to this integrated loudness in LUFS, such as -16, by one gain and a limiter, as the decoded file is "
        + "measured.", valueName: "lufs"))
  var loudness: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Limits the true peaks of a file to this level in dBTP. (default: -1 with --loudness)", valueName: "dbtp"))
  var truePeak: Double?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Makes a file for a place of publication: \(PublishingTarget.all.map(\.name).joined(separator: ", ")). --loudness and "
        + "--true-peak come first.", valueName: "name"),
    completion: .list(PublishingTarget.all.map(\.name)), transform: MeasureCommand.target)
  var target: PublishingTarget?

  @Option(help: ArgumentHelp("Channels of a file: 1 mixes both into one. (default: 2)", valueName: "1|2"))
  var channels: Int?

  @Option(
    name: .customLong("rate"),
    help: ArgumentHelp("Sample rate of a file in hertz. (default: that of the session)", valueName: "hz"))
  var sampleRate: Int?

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
    if bitrate != nil, quality != nil {
      throw ValidationError("--bitrate and --quality can't be combined; give only one")
    }
    try validateDelivery()
    if compression != nil, target == nil, files.isEmpty, mounts.isEmpty {
      throw ValidationError("--bitrate and --quality need an output file; add --output FILE.mp3")
    }
  }

  /// The mounts of Icecast servers.
  private var mounts: [IcecastMount] { choices.compactMap { if case .icecast(let mount) = $0 { mount } else { nil } } }

  private func validateOutputs() throws {
    var seen: Set<String> = []
    if let twice = choices.first(where: { !seen.insert($0.description).inserted }) {
      throw ValidationError("--output \(twice) is given twice; leave one out")
    }
    if 1 < choices.count(where: { $0 == .standardOutput || $0 == .null(pace: .players) }) {
      throw ValidationError("--output - and null:fast can't be combined; leave one out")
    }
    if isLive, usesStandardOutput {
      throw ValidationError(
        "--output - can't be combined with a live output, because its reader would determine the pace; "
          + "write pipe:PATH")
    }
    if !passwordFile.isEmpty, ![1, mounts.count].contains(passwordFile.count) || mounts.isEmpty {
      throw ValidationError("--password-file is for outputs like icecast://HOST/MOUNT.opus; give one for each")
    }
    let hasRooms = choices.contains { if case .snapcast = $0 { true } else { false } }
    if groups != nil, !hasRooms {
      throw ValidationError("--groups needs a Snapcast server; add --output snapcast://HOST/SOURCE")
    }
  }

  private func validateDelivery() throws {
    if let loudness, !(-60 ... -5 ~= loudness) {
      throw ValidationError("--loudness must be a number of LUFS from -60 to -5")
    }
    if let truePeak, !(-20...0 ~= truePeak) {
      throw ValidationError("--true-peak must be a number of dBTP from -20 to 0")
    }
    if let channels, !(1...2 ~= channels) { throw ValidationError("--channels must be 1 or 2") }
    if let sampleRate, !(SampleRate.range ~= sampleRate) {
      throw ValidationError(
        "--rate must be a number of hertz from \(SampleRate.range.lowerBound) to \(SampleRate.range.upperBound)")
    }
    let isGiven = loudness != nil || truePeak != nil || target != nil || channels != nil || sampleRate != nil
    guard isGiven else { return }
    guard let path = files.first else {
      throw ValidationError(
        "--loudness, --true-peak, --for, --channels and --rate need an output file; add --output FILE.flac")
    }
    if 1 < choices.count {
      throw ValidationError(
        "--loudness, --true-peak, --for, --channels and --rate need a single output; leave the others out")
    }
    if let target, target.mp3BitRate != nil, !path.lowercased().hasSuffix(".mp3") {
      throw ValidationError("--for \(target.name) needs an MP3 file; write --output FILE.mp3")
    }
    try target.map(validateFormat)
  }

  /// Refuses a format that the place of publication does not accept. Its levels can be chosen; what is not met is told.
  private func validateFormat(of target: PublishingTarget) throws {
    let (bits, rate) = (target.mp3BitRate, target.sampleRate)
    let others: [(String, Bool)] = [
      ("--channels", target.channels != nil && channels != nil && channels != target.channels),
      ("--rate", rate != nil && sampleRate != nil && sampleRate != rate),
      ("--bitrate", bits != nil && bitrate != nil && bitrate != bits), ("--quality", bits != nil && quality != nil),
    ]
    if let option = others.first(where: \.1)?.0 {
      throw ValidationError("--for \(target.name) has a format of its own; leave \(option) out")
    }
  }

  /// The form of an output file.
  private var delivery: Delivery {
    var delivery = Delivery()
    delivery.channels = channels ?? target?.channels
    delivery.sampleRate = sampleRate ?? target?.sampleRate
    delivery.loudness = loudness ?? target?.loudness
    delivery.rms = loudness == nil ? target?.rms : nil
    delivery.truePeak = truePeak ?? target?.truePeak ?? target?.samplePeak
    return delivery
  }

  /// A setup that plays a programme into the output, in the session mode of these options. It records no metrics.
  func setup(of programme: Programme, library: Sounds) throws(Refusal) -> PlaybackSetup {
    var programme = programme
    programme.tags.date = programme.tags.date ?? SourceDate.day()
    var setup = PlaybackSetup(programme: programme, library: library, output: try destination())
    setup.manager = AudioSessionManager(
      mode: sessionMode, giveUpAfter: giveUpAfter.seconds, waitForServer: waitForServer.seconds)
    setup.loadTimeout = loadTimeout?.seconds
    setup.options.blockLength = blockFrames
    if let jobs { setup.options.jobs = jobs }
    if let pieceFrames { setup.options.pieceLength = pieceFrames }
    (setup.measures, setup.writesChapters) = (false, !noChapters)
    return setup
  }

  /// Refuses a file of an unknown format, and settings that its format does not have.
  func checkFile() throws(Refusal) {
    do throws(SinkError) { for output in files.map(file) { try output.check() } } catch {
      throw Refusal(error.description)
    }
  }

  private var compression: Compression? {
    (bitrate ?? (quality == nil ? target?.mp3BitRate : nil)).map { .bitrate($0) } ?? quality.map { .quality($0) }
  }

  /// Whether all options have their default values.
  var areStandard: Bool {
    choices == [.pulse(sink: nil)] && jobs == nil && encoding == nil && compression == nil && events == .auto
      && giveUpAfter == TimeLimit(seconds: 300) && waitForServer == TimeLimit(seconds: 0)
      && sessionMode == .managed && loadTimeout == nil && delivery == Delivery() && !noChapters
  }

  /// The outputs that these options select. Reads the passwords.
  private func destination() throws(Refusal) -> AudioOutput {
    var passwords = try mounts.indices.map { (index) throws(Refusal) in
      try PasswordFile.read(
        passwordFile.count == 1 ? passwordFile[0] : passwordFile.dropFirst(index).first, mounts[index])
    }[...]
    let outputs = choices.map { choice -> AudioOutput in
      switch choice {
      case .pulse(let sink): .pulse(device: sink)
      case .file(let path): file(path)
      case .standardOutput: .standardOutput(encoding: encoding ?? .s24)
      case .pipe(let path): .pipe(path, encoding: encoding ?? .s24)
      case .null(let pace): .null(isRealTime: pace == .listener)
      case .snapcast(let source): .snapcast(assigned(source))
      case .icecast(let mount): .icecast(mount, password: passwords.removeFirst(), compression: compression)
      }
    }
    return outputs.count == 1 ? outputs[0] : .several(outputs)
  }

  private func file(_ path: String) -> AudioOutput {
    .file(path, encoding: encoding, compression: compression, delivery: delivery)
  }

  /// The source, with the groups that listen to it.
  private func assigned(_ source: SnapcastSource) -> SnapcastSource {
    var source = source
    source.groups = (groups ?? "").split(separator: ",").map(String.init)
    return source
  }

}

/// A duration in the notation of session files, such as `90s` or `10m`, or a number of seconds.
struct TimeLimit: Hashable, CustomStringConvertible {
  var seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  /// Nil if the text is not a duration of 0 or more.
  init?(argument: String) {
    guard let seconds = DurationArgument.seconds(argument) else { return nil }
    self.seconds = seconds
  }

  /// Reads an argument; the message of one that can't be read gives these examples.
  static func reader(like examples: String) -> @Sendable (String) throws -> TimeLimit {
    { text in
      guard let limit = TimeLimit(argument: text) else {
        throw ValidationError("it is not a duration; write it like \(examples)")
      }
      return limit
    }
  }

  var description: String { TimeSpelling.text(seconds) }
}

/// The argument of `--events`.
enum EventChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, text, jsonl
  case simpleJSONL = "jsonl:1"
  case off
}
