import AudioFiles
import CSndFile
import Engine
import Glibc
import Signal

/// Writes files with libsndfile: AIFF, CAF, Ogg Vorbis, Opus and MP3, and FLAC if libFLAC can't be used directly.
final class SndFileWriter {
  private let file: any ByteSink
  private let format: OutputFormat
  private let channels: Int
  /// The target of libsndfile's callbacks. It must exist as long as `handle`.
  private let channel: WritingChannel
  private var handle: OpaquePointer?
  // Buffers for samples as integers: libsndfile's own conversion would round differently.
  private var steps16: [Int16] = []
  private var steps24: [Int32] = []

  init(_ file: any ByteSink, rate: Int, _ format: OutputFormat, _ details: FileDetails) throws(SinkError) {
    self.file = file
    self.format = format
    channels = details.channels
    if !file.canReplace, format.needsLength {
      throw .unsupported(path: file.path, what: "a stream can't have this format; choose .wav, .flac, .ogg or .mp3")
    }
    if let failure = CodecLibrary.libsndfile.failure { throw .cannotCreate(path: file.path, cause: "\(failure)") }
    let channel = WritingChannel(file, format, details)
    self.channel = channel
    var info = SF_INFO(
      frames: 0, samplerate: Int32(rate), channels: Int32(channels), format: format.code, sections: 0, seekable: 0)
    let data = Unmanaged.passUnretained(channel).toOpaque()
    handle = withWritingCallbacks { sf_open_virtual(&$0, Int32(SFM_WRITE), &info, data) }
    guard handle != nil else {
      throw .unsupported(path: file.path, what: "it can't be written: \(String(cString: sf_strerror(nil)))")
    }
    // A peak chunk would contain the current time, and two renders would differ.
    sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    try setCompression(details.compression, rate: rate)
    // The channel writes the tags of the other formats, but can't add any to a FLAC stream.
    let isFLACStream = if case .flac = format { !file.canReplace } else { false }
    guard format.needsLength || isFLACStream else { return }
    let tags = details.tags
    for (text, code) in [
      (tags.title, SF_STR_TITLE), (tags.remark, SF_STR_COMMENT), (tags.date, SF_STR_DATE),
      (tags.artist, SF_STR_ARTIST), (tags.album, SF_STR_ALBUM), (tags.genre, SF_STR_GENRE),
    ] {
      if let text { sf_set_string(handle, Int32(code), text) }
    }
  }

  deinit { if let handle { sf_close(handle) } }

  /// Writes interleaved samples of all channels; full scale is ±1.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError) {
    let frames = Int64(samples.count / channels)
    let written = writeFrames(samples, frames)
    // libsndfile reports an error of the file only as a short write.
    try file.check()
    if written != frames { throw .cannotWrite(path: file.path, cause: String(cString: sf_strerror(handle))) }
    guard file.length > 0xFFFF_0000 else { return }
    switch format {
    case .aiff:
      throw .cannotWrite(path: file.path, cause: "an AIFF file can't exceed 4 GiB; choose .caf, .wav or .flac")
    case .wave: throw .cannotWrite(path: file.path, cause: "such a WAV file can't exceed 4 GiB; choose .caf or .flac")
    default: return
    }
  }

  /// Completes the file; nothing is written after it.
  ///
  /// - Parameter chapters: those of the whole file.
  func close(_ chapters: [Chapter] = []) throws(SinkError) {
    let status = sf_close(handle)
    handle = nil
    try channel.finish(chapters)
    try file.check()
    if status != 0 { throw .cannotWrite(path: file.path, cause: String(cString: sf_error_number(status))) }
  }

  /// Writes frames in the format's sample type, and returns the number of frames that were written.
  private func writeFrames(_ samples: UnsafeBufferPointer<Float>, _ frames: Int64) -> Int64 {
    switch format.encoding {
    case .s16:
      steps16.fill(count: samples.count) { Quantising.to16(samples, $0) }
      return sf_writef_short(handle, steps16, frames)
    case .s24:
      steps24.fill(count: samples.count) { Quantising.to24(samples, $0) }
      return sf_writef_int(handle, steps24, frames)
    case .f32: return sf_writef_float(handle, samples.baseAddress, frames)
    }
  }

  /// Sets the requested compression. The default for MP3 is a variable bit rate with LAME's quality 2, about 190 kbit/s
  /// for music at 44.1 kHz; the other formats keep libsndfile's default.
  private func setCompression(_ compression: Compression?, rate: Int) throws(SinkError) {
    switch (format, compression) {
    case (.mp3, .bitrate(let bits)):
      guard let level = MPEGRates.level(bitrate: bits, at: rate) else {
        let rates = MPEGRates.kilobits(at: rate).map { "\($0)k" }.joined(separator: ", ")
        throw .unsupported(
          path: file.path, what: "MP3 at \(rate) Hz does not have the bit rate \(bits / 1_000)k; use one of \(rates)")
      }
      set(mode: SF_BITRATE_MODE_CONSTANT)
      set(compression: level)
    case (.mp3, let compression):
      set(mode: SF_BITRATE_MODE_VARIABLE)
      if case .quality(let quality) = compression { set(compression: 1 - quality / 10) } else { set(compression: 0.2) }
    // libsndfile maps the levels to 6 to 256 kbit/s for each channel.
    case (.opus, .bitrate(let bits)): set(compression: 1 - Double(bits / channels - 6_000) / 250_000)
    case (.vorbis, .quality(let quality)): set(compression: 1 - quality / 10)
    default: break
    }
  }

  private func set(mode: Int) {
    var mode = Int32(mode)
    sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
  }

  /// - Parameter level: 0 for the largest file, 1 for the smallest.
  private func set(compression level: Double) {
    var level = min(1, max(0, level))
    sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, Int32(MemoryLayout<Double>.size))
  }
}

extension Array where Element: FixedWidthInteger {
  /// Resizes the array if necessary; blocks of equal size reuse its storage.
  fileprivate mutating func fill(count: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Void) {
    if self.count != count { self = Array(repeating: 0, count: count) }
    withUnsafeMutableBufferPointer { body($0) }
  }
}

/// The target of libsndfile's callbacks. It passes the bytes to the file, those of an Ogg stream through `OggPages`, and
/// adds the tags that libsndfile can't write.
private final class WritingChannel {
  let file: any ByteSink
  private var pages: OggPages?
  /// The serial number of an Ogg stream.
  private let serial: UInt32
  /// The tags of an MP3 file.
  private var head: ID3Head?
  /// The tags of a FLAC file; nil for other formats.
  private var metadata: FileDetails?
  /// Bytes of tags before the first byte of libsndfile.
  private var offset: Int64 = 0
  /// Bytes of the Ogg stream that libsndfile has written.
  private var taken: Int64 = 0

  init(_ file: any ByteSink, _ format: OutputFormat, _ details: FileDetails) {
    (self.file, serial) = (file, details.oggSerial)
    let reserved = details.chapters?.reserved ?? []
    if format.isOgg { pages = OggPages(details.tags, reserving: reserved, serial: details.oggSerial) }
    if case .flac = format { metadata = details }
    if format != .mp3 { return }
    let head = ID3Head(tags: details.tags)
    self.head = head
    file.write(head.bytes(reserved))
    offset = file.position
  }

  var position: Int64 { pages == nil ? file.position - offset : taken }
  var length: Int64 { pages == nil ? file.length - offset : taken }

  /// Returns the number of bytes that were written; fewer after an error.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    if let written = pages?.take(bytes) {
      taken += Int64(bytes.count)
      file.write(written)
    } else {
      file.write(bytes)
    }
    return file.failure == nil ? Int64(bytes.count) : 0
  }

  /// An Ogg stream is only appended to, so its position never moves.
  func seek(_ target: Int64, _ whence: Int32) -> Int64 {
    if pages != nil { return taken }
    if whence != SEEK_SET { return file.seek(target, whence) - offset }
    return target < 0 ? -1 : file.seek(target + offset, SEEK_SET) - offset
  }

  /// Completes the file: it gets the chapters.
  func finish(_ chapters: [Chapter]) throws(SinkError) {
    if let head {
      _ = file.seek(0, SEEK_END)
      file.write(head.oldBytes)
      try file.replaceBeginning(Int(offset), by: head.bytes(chapters, filling: Int(offset)))
    }
    if let metadata { try finishFLAC(metadata, chapters) }
    guard let rest = pages?.finish() else { return }
    file.write(rest)
    guard let old = pages?.beginning, let new = pages?.beginning(with: chapters) else { return }
    var moved = OggPages(movingBy: UInt32(truncatingIfNeeded: new.count - old.count), serial: serial)
    try file.replaceBeginning(old.bytes.count, by: new.bytes) { moved.take($0) }
  }

  /// Gives a file without tags those that `FLACWriter` would have written.
  private func finishFLAC(_ details: FileDetails, _ chapters: [Chapter]) throws(SinkError) {
    var head = [UInt8](repeating: 0, count: 4_096)
    _ = file.seek(0, SEEK_SET)
    let count = head.withUnsafeMutableBytes { file.read(into: $0) }
    guard let (metadata, size) = FLACMetadata.read(Array(head[..<count]), details) else { return }
    let room = metadata.bytes(details.chapters?.reserved ?? []).count
    try file.replaceBeginning(size, by: metadata.bytes(chapters, filling: room))
  }
}

private func channel(_ data: UnsafeMutableRawPointer) -> WritingChannel {
  Unmanaged<WritingChannel>.fromOpaque(data).takeUnretainedValue()
}

/// Calls `body` with callbacks whose `data` is a `WritingChannel`. The writer owns the channel, and closes the
/// library's handle first, so the channel exists during every callback.
private func withWritingCallbacks<Result>(_ body: (inout SF_VIRTUAL_IO) -> Result) -> Result {
  var callbacks = SF_VIRTUAL_IO()
  callbacks.get_filelen = { data in data.map { channel($0).length } ?? 0 }
  callbacks.seek = { offset, whence, data in data.map { channel($0).seek(offset, whence) } ?? -1 }
  callbacks.tell = { data in data.map { channel($0).position } ?? 0 }
  callbacks.read = { target, count, data in
    guard let target, let data, count > 0 else { return 0 }
    return Int64(channel(data).file.read(into: UnsafeMutableRawBufferPointer(start: target, count: Int(count))))
  }
  callbacks.write = { source, count, data in
    guard let source, let data, count > 0 else { return 0 }
    return channel(data).write(UnsafeRawBufferPointer(start: source, count: Int(count)))
  }
  return body(&callbacks)
}
