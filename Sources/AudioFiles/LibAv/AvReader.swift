import CAv
import Sounds

/// Reads what libsndfile, libmpg123 and libopus don't: AAC, ALAC, WMA, AC-3, WavPack, Speex and many others, with
/// libavformat and libavcodec.
///
/// Frames are counted from the first one that is decoded, without the encoder's delay. If every packet of a format can be
/// decoded on its own, and has an exact time, a seek leads to the packet with the frame. Otherwise the state of the
/// decoder depends on all packets before, and a seek decodes from the beginning.
final class AvReader: SampleReader {
  private let file: RegularFile
  private var facts: AvFacts
  /// nil before the first seek or read of a reader that was reopened.
  private var line: AvLine?
  /// The frame that is read next.
  private var position: Int64 = 0
  /// The samples that were decoded last, and the frames at which they begin and end.
  private var samples: [Float] = []
  private var (start, end): (Int64, Int64) = (0, 0)
  private var steps = AvSteps()
  /// Whether the next packet is the first one after the beginning of the file or after a seek.
  private var isFirst = true
  private var hasEnded = false

  /// - Returns: nil if libavformat does not recognise the file as sound.
  init?(_ file: RegularFile) throws(SourceError) {
    guard let line = try AvLine(file) else { return nil }
    guard let frame = line.next() else {
      if line.isBroken { throw .damaged(path: file.path, atSecond: 0, cause: "none of its sound can be decoded") }
      if line.input.declaredSeconds == nil { throw .empty(path: file.path) }
      throw .unsupported(path: file.path, what: "libavcodec can't decode its sound; convert it to FLAC or WAV")
    }
    guard 0 < frame.pointee.sample_rate, 0 < frame.pointee.ch_layout.nb_channels else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its sound has no rate or no channels")
    }
    (self.file, self.line, facts) = (file, line, AvFacts(line, frame, file))
    guard take(frame, line) else {
      throw .unsupported(path: file.path, what: "its samples have an unknown format; convert it to FLAC or WAV")
    }
  }

  private init(_ file: RegularFile, _ facts: AvFacts) { (self.file, self.facts) = (file, facts) }

  var format: SampleFormat { facts.format }
  /// The name of the container in libavformat.
  var container: String? { line?.input.name }
  var isExact: Bool { facts.isStateless && file.download == nil }

  var libraries: [CodecLibrary] { [.libavformat] }

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
    guard facts.isStateless, case .exact(let clock) = facts.times, let line = openLine(),
      line.seek(to: clock.time(frame))
    else { return false }
    (start, end, isFirst, hasEnded) = (0, 0, true, false)
    if advance(), start <= frame { return true }
    restart()
    return true
  }

  /// Begins again with the first packet.
  private func restart() {
    (line, samples, steps) = (nil, [], AvSteps())
    (start, end, isFirst, hasEnded) = (0, 0, true, false)
  }

  private func openLine() -> AvLine? {
    if line == nil { line = file.isUnchanged || file.download != nil ? try? AvLine(file) : nil }
    if line == nil { hasEnded = true }
    return line
  }

  /// Decodes the next samples, which may begin after the end of those before. Returns false at the end.
  private func advance() -> Bool {
    guard !hasEnded, let line = openLine() else { return false }
    while let frame = line.next() {
      if take(frame, line) { return true }
      line.reject()
    }
    hasEnded = true
    if format.frames == nil { facts.format.isTruncated = format.isTruncated || line.isBroken || breaksOff(line) }
    return false
  }

  /// Whether the file ends within a packet or is shorter than it states, or the sound ends much earlier than the
  /// container states. Some state it in milliseconds, or without the encoder's delay.
  private func breaksOff(_ line: AvLine) -> Bool {
    if line.input.breaksOff || isCutShort(file) { return true }
    guard !line.input.isMovie, !statesNoLength(file), let declared = line.input.declaredSeconds, declared < 1e9 else {
      return false
    }
    return Int64(format.rate / 2) < Int64(declared * Double(format.rate)) - end
  }

  /// Makes the samples of a decoded frame those that are read next. Returns false if they differ in rate or channels
  /// from the sound before.
  private func take(_ frame: UnsafePointer<AVFrame>, _ line: AvLine) -> Bool {
    guard var count = facts.append(frame, to: &samples, after: 0) else { return false }
    let place: Int64?
    if line.input.ogg?.isDetached == true {
      let lost = line.lost
      while line.input.ogg?.pageEnd == nil, let frame = line.next() {
        count += facts.append(frame, to: &samples, after: count) ?? 0
      }
      place = facts.place(ofPage: line.input.ogg, count, isFirst: isFirst) ?? (end + lost)
    } else {
      place = facts.place(of: frame.pointee.pts, isFirst: isFirst)
      steps.take(frame, count, line, isUsed: facts.hasSteps)
    }
    let next = place ?? end + (facts.hasSteps ? steps.lost : line.lost)
    start = isFirst ? next : max(end, next)
    (end, isFirst) = (start + count, false)
    return true
  }
}
