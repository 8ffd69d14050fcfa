import CAv
import Engine

/// Reads what libsndfile, libmpg123 and libopus don't: AAC, ALAC, WMA, AC-3, WavPack, Speex and many others, with
/// libavformat and libavcodec.
///
/// Frames are counted from the first one that is decoded, without the encoder's delay. If every packet of a format can be
/// decoded on its own, and has an exact time, a seek leads to the packet with the frame. Otherwise the state of the
/// decoder depends on all packets before, and a seek decodes from the beginning.
final class AvReader: SampleReader {
  private let file: RegularFile
  private var facts: Facts
  /// nil before the first seek or read of a reader that was reopened.
  private var line: AvLine?
  /// The frame that is read next.
  private var position: Int64 = 0
  /// The samples that were decoded last, and the frames at which they begin and end.
  private var samples: [Float] = []
  private var (start, end): (Int64, Int64) = (0, 0)
  /// Frames after `end` that could not be decoded.
  private var lost: Int64 = 0
  /// Whether the next packet is the first one after the beginning of the file or after a seek.
  private var isFirst = true
  private var hasEnded = false

  /// What the first reader of a file finds out, and further readers use.
  fileprivate struct Facts {
    var format: SampleFormat
    /// How times of packets become frames; nil if they are not exact.
    var clock: AvClock?
    /// Whether each packet has the time of its first frame. Otherwise only times before 0 are used: such frames are not
    /// part of the sound.
    var isTimed = false
    /// Whether decoding can begin at any packet.
    var isStateless = false
  }

  /// - Returns: nil if libavformat does not recognise the file as sound.
  init?(_ file: RegularFile) throws(SourceError) {
    guard let line = try AvLine(file) else { return nil }
    var damaged: Int64 = 0
    search: while true {
      switch line.step() {
      case .sound: break search
      case .damage: damaged += max(1, line.packetLength)
      case .end:
        if 0 < damaged { throw .damaged(path: file.path, atSecond: 0, cause: "none of its sound can be decoded") }
        if line.input.declaredSeconds == nil { throw .empty(path: file.path) }
        throw .unsupported(path: file.path, what: "libavcodec can't decode its sound; convert it to FLAC or WAV")
      }
    }
    guard let frame = line.frame, 0 < frame.pointee.sample_rate, 0 < frame.pointee.ch_layout.nb_channels else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its sound has no rate or no channels")
    }
    (self.file, self.line) = (file, line)
    facts = Facts(line, frame)
    if line.input.name == "ogg", isTruncatedOgg(file) {
      facts.format.isTruncated = true
      // The length includes the fade-out after the last frame.
      facts.format.frames? += Int64(Concealment.ramp(atRate: format.rate))
    }
    lost = damaged
    guard take(frame) else {
      throw .unsupported(path: file.path, what: "its samples have an unknown format; convert it to FLAC or WAV")
    }
  }

  private init(_ file: RegularFile, _ facts: Facts) { (self.file, self.facts) = (file, facts) }

  var format: SampleFormat { facts.format }
  /// The name of the container in libavformat.
  var container: String? { line?.input.name }
  var isExact: Bool { facts.isStateless && file.download == nil }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file, facts] in file.isUnchanged ? AvReader(file, facts) : nil }
  }

  func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let wanted = max(0, min(Int64(frames), (format.frames ?? .max) - position))
    var done: Int64 = 0
    while done < wanted {
      if end <= position {
        guard advance() else { break }
        continue
      }
      guard start <= position else { break }
      let count = min(wanted - done, end - position)
      let (from, to, size) = (Int(position - start), Int(done), Int(count))
      samples.withUnsafeBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        (target + to * format.channels).update(from: base + from * format.channels, count: size * format.channels)
      }
      position += count
      done += count
    }
    return Int(done)
  }

  func seek(to frame: Int64) -> Bool {
    if frame < start || end <= frame, !jump(to: frame), frame < start { restart() }
    position = frame
    while end <= frame, !hasEnded { _ = advance() }
    return start <= frame && frame < end
  }

  func resume(after frame: Int64) -> Int64? {
    // The encoder's padding follows the sound.
    if let total = format.frames, total <= frame { return nil }
    while end <= frame, !hasEnded { _ = advance() }
    guard frame < end, line?.input.view.isOverwritten != true else { return nil }
    position = max(frame, start)
    return position
  }

  /// Moves to the packet with a frame. Returns false if decoding can't begin there.
  private func jump(to frame: Int64) -> Bool {
    guard facts.isStateless, let clock = facts.clock, let line = openLine(), line.seek(to: clock.time(frame)) else {
      return false
    }
    (start, end, lost, isFirst, hasEnded) = (0, 0, 0, true, false)
    if advance(), start <= frame { return true }
    restart()
    return true
  }

  /// Begins again with the first packet.
  private func restart() {
    (line, samples) = (nil, [])
    (start, end, lost, isFirst, hasEnded) = (0, 0, 0, true, false)
  }

  private func openLine() -> AvLine? {
    if line == nil { line = file.isUnchanged || file.download != nil ? try? AvLine(file) : nil }
    if line == nil { hasEnded = true }
    return line
  }

  /// Decodes the next packet. Returns false if there is none, or if it can't be decoded.
  private func advance() -> Bool {
    guard !hasEnded, let line = openLine() else { return false }
    switch line.step() {
    case .sound:
      if let frame = line.frame, take(frame) { return true }
    case .damage: break
    case .end:
      hasEnded = true
      if format.frames == nil { facts.format.isTruncated = format.isTruncated || 0 < lost || breaksOff(line) }
      return false
    }
    lost += max(1, line.packetLength)
    return false
  }

  /// Whether the sound ends much earlier than the container states. Some state it in milliseconds, or without the
  /// encoder's delay.
  private func breaksOff(_ line: AvLine) -> Bool {
    guard !line.input.isMovie, let declared = line.input.declaredSeconds, declared < 1e9 else { return false }
    return Int64(format.rate / 2) < Int64(declared * Double(format.rate)) - end
  }

  /// Makes the samples of a decoded frame those that are read next. Returns false if they differ in rate or channels
  /// from the sound before.
  private func take(_ frame: UnsafePointer<AVFrame>) -> Bool {
    let (count, channels) = (Int64(frame.pointee.nb_samples), Int(frame.pointee.ch_layout.nb_channels))
    guard Int(frame.pointee.sample_rate) == format.rate, channels == format.channels else { return false }
    if samples.count < Int(count) * channels { samples = Array(repeating: 0, count: Int(count) * channels) }
    guard convert(frame, into: &samples) else { return false }
    var first = end + lost
    if let time = facts.clock?.frame(frame.pointee.pts) {
      if facts.isTimed { first = isFirst ? time : max(end, time) } else if isFirst, time < 0 { first = time }
    }
    (start, end, lost, isFirst) = (first, first + count, 0, false)
    return true
  }
}

extension AvReader.Facts {
  /// - Parameter frame: the first decoded frame. Only it shows the rate and the channels of some formats.
  fileprivate init(_ line: AvLine, _ frame: UnsafePointer<AVFrame>) {
    let input = line.input
    let rate = Int(frame.pointee.sample_rate)
    format = SampleFormat(
      rate: rate, channels: Int(frame.pointee.ch_layout.nb_channels), roles: roles(of: frame),
      isFloatingPoint: hasFloats(frame), title: input.text("title"), artist: input.text("artist"))
    clock = AvClock(input, rate: rate)
    guard let clock, AvFormats.timed.contains(input.name) else { return }
    isTimed = input.isMovie ? isRegular(input.movie, clock, line.fixedLength) : true
    isStateless = isTimed && AvFormats.searchable.contains(input.name) && AvFormats.stateless.contains(line.decoder)
    if isTimed { format.frames = input.length(clock) }
  }
}

/// Whether all packets of a movie have the length that the decoder delivers. Some recorders write the times at which
/// packets were made instead.
private func isRegular(_ movie: MovieTrack?, _ clock: AvClock, _ length: Int64) -> Bool {
  guard let movie, movie.isPlain, let step = movie.step, step < mostFrames else { return false }
  return length == 0 || step * clock.rate == length
}

/// The conversion of the times of a stream to frames.
struct AvClock {
  /// Frames per tick.
  let rate: Int64
  /// The time of the first frame.
  let origin: Int64

  /// nil if a tick is not a whole number of frames.
  init?(_ input: AvInput, rate hertz: Int) {
    let base = input.stream.pointee.time_base
    guard 0 < base.num, 0 < base.den, Int(base.num) * hertz % Int(base.den) == 0 else { return nil }
    rate = Int64(Int(base.num) * hertz / Int(base.den))
    let start = input.stream.pointee.start_time
    // Frames before time 0 are the encoder's delay. A later start is a delay against the pictures of a film.
    origin = start == prosper_av_no_time ? 0 : max(0, start)
  }

  func frame(_ time: Int64) -> Int64? {
    time != prosper_av_no_time && abs(time) < mostFrames ? (time - origin) * rate : nil
  }

  func time(_ frame: Int64) -> Int64 { frame / rate + origin }
}

extension AvInput {
  /// The number of frames that the file states; nil if it states none.
  fileprivate func length(_ clock: AvClock) -> Int64? {
    let ticks: Int64?
    if let movie {
      let whole = movie.length.map { movie.hasEdit ? $0 : $0 - clock.origin }
      let stated = text("iTunSMPB").flatMap(soundLength)
      ticks = whole.map { whole in stated.map { min(whole, $0) } ?? whole }
    } else {
      ticks = declaredSeconds == nil ? nil : stream.pointee.duration + min(0, stream.pointee.start_time)
    }
    return ticks.flatMap { 0 < $0 && $0 < mostFrames / clock.rate ? $0 * clock.rate : nil }
  }
}

/// The number of frames without the encoder's delay and padding in iTunes' text about them: the fourth of its hexadecimal
/// numbers.
private func soundLength(_ text: String) -> Int64? {
  let numbers = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
  return numbers.count == 4 ? numbers[3].flatMap { 0 < $0 ? $0 : nil } : nil
}
