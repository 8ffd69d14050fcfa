import ArgumentParser
import ProsperKit

/// The options for the form of an output file: its compression, chapters, levels, channels and rate.
struct FileOptions: ParsableArguments {
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

  func validate() throws {
    if bitrate != nil, quality != nil {
      throw ValidationError("--bitrate and --quality can't be combined; give only one")
    }
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
  }

  /// Refuses a form that none of the outputs can have.
  func check(_ outputs: [OutputChoice]) throws {
    if delivery != Delivery() || target != nil { try checkFile(of: outputs) }
    if compression != nil, target == nil, !outputs.contains(where: \.isEncoded) {
      throw ValidationError("--bitrate and --quality need an output file; add --output FILE.mp3")
    }
  }

  private func checkFile(of outputs: [OutputChoice]) throws {
    let paths = outputs.compactMap { if case .file(let path) = $0 { path } else { nil } }
    guard let path = paths.first else {
      throw ValidationError(
        "--loudness, --true-peak, --for, --channels and --rate need an output file; add --output FILE.flac")
    }
    if 1 < outputs.count {
      throw ValidationError(
        "--loudness, --true-peak, --for, --channels and --rate need a single output; leave the others out")
    }
    guard let target else { return }
    if target.mp3BitRate != nil, !path.lowercased().hasSuffix(".mp3") {
      throw ValidationError("--for \(target.name) needs an MP3 file; write --output FILE.mp3")
    }
    try validateFormat(of: target)
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
  var delivery: Delivery {
    var delivery = Delivery()
    delivery.channels = channels ?? target?.channels
    delivery.sampleRate = sampleRate ?? target?.sampleRate
    delivery.loudness = loudness ?? target?.loudness
    delivery.rms = loudness == nil ? target?.rms : nil
    delivery.truePeak = truePeak ?? target?.truePeak ?? target?.samplePeak
    return delivery
  }

  /// The compression that is chosen; nil for the default of the format.
  var compression: Compression? {
    (bitrate ?? (quality == nil ? target?.mp3BitRate : nil)).map { .bitrate($0) } ?? quality.map { .quality($0) }
  }

  /// Whether all options have their default values.
  var areStandard: Bool { delivery == Delivery() && compression == nil && !noChapters }
}
