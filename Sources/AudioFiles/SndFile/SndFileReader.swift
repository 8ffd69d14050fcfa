import CSndFile
import Glibc
import Sounds

/// Reads files with libsndfile: WAV and related formats, AIFF, CAF, FLAC, Ogg Vorbis, and Opus in files in
/// which other data follow the sound.
///
/// If the format has blocks with checksums, libsndfile gets the file's headers and then the file from a complete block
/// on. If it got the whole file, it would skip gaps without reporting them, and the sound after a gap would be too
/// early.
final class SndFileReader: SampleReader {
  private let file: RegularFile
  private let facts: Facts
  /// nil if this reader has not opened one yet, or could not.
  private var handle: SndFileHandle?
  /// The blocks with checksums; nil if the format has none.
  private let blocks: (any SoundBlocks)?
  /// The frame that is read next.
  private var position: Int64 = 0
  private var truncation: TruncationDetector
  /// Whether the handle delivers no more frames, or frames at wrong positions, or could not be opened.
  private var isBroken: Bool
  /// After how many changes of the file the format was last compared.
  private var changes = 0

  /// The maximum number of successive gaps with too little sound between them. After that, nothing more is decoded.
  private static let tries = 64

  /// What the first reader of a file finds out, and further readers use.
  private struct Facts {
    var format: SampleFormat
    /// What the header of the whole file states.
    var info: SF_INFO
    /// The number of frames in the whole file, from which positions after a gap are computed; nil if it is unknown.
    var total: Int64?
    /// nil if libsndfile reads the file's own header.
    var container: SoundContainer?
    /// The frames that a container which is cut short still holds; nil for others. Some decoders of libsndfile repeat the
    /// last block after the end.
    var present: Int64?
  }

  init(_ file: RegularFile, _ container: SoundContainer? = nil) throws(SourceError) {
    try CodecLibrary.libsndfile.load(for: file.path)
    let frames = container == nil ? FLACBlocks(file) : nil
    let open = { container?.view(of: file) ?? frames?.view(of: file) ?? plainView(of: file) }
    let view = open()
    guard let handle = SndFileHandle(view) else { throw openError(file, open) }
    let info = handle.info
    // Longer reads are worth their memory only for samples that are not compressed.
    if info.isPlain { view.longestRead = file.longestRead }
    // Without a checked header, libsndfile would read beyond its list of loudspeakers.
    let isChecked = container != nil || ![SF_FORMAT_AIFF, SF_FORMAT_CAF].contains(info.majorFormat)
    guard info.channels > 0, info.samplerate > 0, info.majorFormat != SF_FORMAT_MPEG, isChecked else {
      throw .unknownFormat(path: file.path)
    }
    if info.isMisread(file) { throw unsupportedEncoding(file) }
    guard info.frames <= mostFrames || info.frames == .max else { throw impossibleLength(file) }
    self.file = file
    self.handle = handle
    truncation = TruncationDetector(channels: Int(info.channels))
    let present = Self.frames(info, container)
    guard info.majorFormat == SF_FORMAT_OGG, let present, let stream = OggStream(file) else {
      let total = present.map { all in frames.map { $0.base < all ? all - $0.base : all } ?? all }
      blocks = frames
      isBroken = false
      let format = SampleFormat(
        handle, frames: total,
        isTruncated: info.majorFormat == SF_FORMAT_OGG ? isTruncatedOgg(file) : container == nil && isCutShort(file),
        tags: container?.tags ?? frames?.stream.tags)
      let rest = container.flatMap { $0.size.isTruncated ? SndFileHandle($0.presentView(of: file)) : nil }
      facts = Facts(
        format: format, info: info, total: total, container: container,
        present: rest.flatMap { declaredFrames($0.info) })
      return
    }
    let total = stream.hasItsBeginning ? present : max(0, stream.end - stream.skip)
    guard total <= mostFrames else { throw impossibleLength(file) }
    blocks = OggBlocks(file, stream, total: total)
    isBroken = total != present
    let format = SampleFormat(handle, frames: total, isTruncated: !stream.hasItsEnd)
    facts = Facts(format: format, info: info, total: total)
  }

  /// The frames that the header states. The last block of a compressed sound may be longer than the sound.
  private static func frames(_ info: SF_INFO, _ container: SoundContainer?) -> Int64? {
    let frames = declaredFrames(info)
    guard let frames, let stated = container?.frames, !info.isPlain, 0 < stated, frames - stated < 8_192 else {
      return frames
    }
    return min(frames, stated)
  }

  /// The pages of an Ogg file; nil for other formats, and if their structure is not supported.
  var pages: OggBlocks? { blocks as? OggBlocks }

  var format: SampleFormat { facts.format }

  var isExact: Bool { facts.info.hasExactSeeks && file.download == nil }

  var libraries: [CodecLibrary] { [.libsndfile] }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file, facts, another = blocks?.another] in
      guard file.isUnchanged else { return nil }
      return another.map { SndFileReader(file, facts, $0()) } ?? (try? SndFileReader(file, facts.container))
    }
  }

  /// Another reader of a file. It opens its handle at the first seek, at the block found there, or at the first read.
  private init(_ file: RegularFile, _ facts: Facts, _ blocks: any SoundBlocks) {
    (self.file, self.facts, self.blocks) = (file, facts, blocks)
    truncation = TruncationDetector(channels: facts.format.channels)
    isBroken = false
  }

  /// Opens a handle at the beginning of the file, for a reader that has not been seeked.
  private func openWhole() {
    let view = facts.container?.view(of: file) ?? (blocks as? FLACBlocks)?.view(of: file)
    handle = SndFileHandle(view ?? plainView(of: file))
    isBroken = handle.map { facts.info.majorFormat == SF_FORMAT_OGG && facts.total != declaredFrames($0.info) } ?? true
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    if handle == nil, !isBroken { openWhole() }
    guard !isBroken, let handle else { return 0 }
    let pages = pages
    let whole = pages?.reach(to: position + Int64(frames)) ?? facts.present ?? .max
    var done = handle.read(into: samples, frames: Int(max(0, min(whole - position, Int64(frames)))))
    if pages == nil { done = wholeFrames(samples, done, handle) }
    if hasChangedFormat(handle) { (done, isBroken) = (0, true) }
    position += Int64(done)
    return done
  }

  /// Whether the file has been overwritten during playback by a file of another format. For formats with blocks, the
  /// checksums show this.
  private func hasChangedFormat(_ handle: SndFileHandle) -> Bool {
    guard blocks == nil, changes != handle.view.changes else { return false }
    changes = handle.view.changes
    if let container = facts.container { return !container.hasSameFormat(in: file) }
    guard let now = SndFileHandle(plainView(of: file))?.info else { return true }
    return (now.format, now.samplerate, now.channels)
      != (handle.info.format, handle.info.samplerate, handle.info.channels)
  }

  func seek(to frame: Int64) -> Bool {
    if blocks != nil { return move(to: frame, afterGap: false) == frame }
    let entryFrame = entryFrame(before: frame)
    position = frame
    if let handle, handle.seek(to: entryFrame) { return handle.discard(frame - entryFrame) }
    // Not every decoder of libsndfile can seek.
    openWhole()
    return handle?.discard(frame) ?? false
  }

  /// A file whose sound has been overwritten is not resumed, because even complete blocks would belong to another
  /// sound.
  func resume(after frame: Int64) -> Int64? {
    handle?.view.isOverwritten == true ? nil : move(to: frame, afterGap: true)
  }

  /// Moves to `frame`; or, if it is in a gap or `afterGap` is true, to the first frame after the next gap from `frame`
  /// on.
  private func move(to frame: Int64, afterGap: Bool) -> Int64? {
    guard let blocks, let entry = blocks.entry(before: frame) else { return nil }
    if !afterGap, let first = enter(entry), skip(from: first, to: frame) { return frame }
    blocks.enter(entry)
    if frame < blocks.reach(to: frame + 1) {
      // The sound is complete: a block occurs twice. A frame that can't be decoded would be tried again and again.
      guard let first = enter(entry), skip(from: first, to: frame + 1), let again = enter(entry) else { return nil }
      return skip(from: again, to: frame) ? frame : nil
    }
    for _ in 0..<Self.tries {
      guard let next = blocks.entryAfterGap(), let first = enter(next) else { return nil }
      let target = max(frame, first)
      if skip(from: first, to: target) { return target }
    }
    return nil
  }

  /// Opens the file as if it began with a block. Returns the first frame that is then decoded; nil if that fails.
  private func enter(_ entry: BlockEntry) -> Int64? {
    isBroken = true
    guard let blocks else { return nil }
    blocks.enter(entry)
    guard let handle = SndFileHandle(blocks.view(of: file, from: entry.offset)) else { return nil }
    guard handle.info.channels == format.channels, handle.info.samplerate == format.rate else { return nil }
    self.handle = handle
    if let frame = entry.frame { return frame }
    guard let total = facts.total, let left = declaredFrames(handle.info) else { return nil }
    return total - left
  }

  /// Decodes and drops the frames before a target; false if they are not complete up to the target.
  private func skip(from first: Int64, to frame: Int64) -> Bool {
    position = frame
    let isWhole = blocks.map { frame < $0.reach(to: frame + 1) } ?? false
    guard isWhole, first <= frame, let handle, handle.discard(frame - first) else { return false }
    isBroken = false
    return true
  }

  /// How many of the frames that were just read are before the first damaged or missing block. libFLAC continues after
  /// such a block without reporting it.
  private func wholeFrames(_ samples: UnsafeMutablePointer<Float>, _ frames: Int, _ handle: SndFileHandle) -> Int {
    isBroken = handle.hasFailed
    guard let blocks, isBroken || truncation.breaksOff(in: samples, frames: frames),
      let entry = blocks.entry(before: position)
    else { return frames }
    blocks.enter(entry)
    let whole = Int(max(0, min(Int64(frames), blocks.reach(to: position + Int64(frames)) - position)))
    if whole < frames { isBroken = true }
    return whole
  }

  /// The frame to which libsndfile seeks before it decodes up to `frame`. On the last page of an Ogg Vorbis file, whose
  /// end is trimmed, libsndfile computes wrong positions, so the seek leads to a page before it. A page has at most 255
  /// packets of at most 4,096 frames, half of which overlap.
  private func entryFrame(before frame: Int64) -> Int64 {
    guard facts.info.minorFormat == SF_FORMAT_VORBIS, let total = facts.total else { return frame }
    return max(0, min(frame, total - 2 * 255 * 2_048))
  }
}

extension SampleFormat {
  /// - Parameter tags: nil for those that libsndfile finds.
  fileprivate init(_ handle: SndFileHandle, frames: Int64?, isTruncated: Bool, tags: SoundTags? = nil) {
    let tags = tags ?? SoundTags(title: text(handle.pointer, SF_STR_TITLE), artist: text(handle.pointer, SF_STR_ARTIST))
    let channels = Int(handle.info.channels)
    let rate = Int(handle.info.samplerate)
    let isOgg = handle.info.majorFormat == SF_FORMAT_OGG
    self.init(
      rate: rate, channels: channels,
      // For a truncated file, the length includes the fade-out after the last frame.
      frames: frames.map { $0 + (isTruncated ? Int64(Concealment.ramp(atRate: rate)) : 0) }, isTruncated: isTruncated,
      roles: mappedRoles(handle.pointer, channels)
        ?? (isOgg ? ChannelRole.vorbis(channels: channels) : ChannelRole.standard(channels: channels)),
      isFloatingPoint: [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE].contains(handle.info.minorFormat),
      isPlain: handle.info.isPlain,
      title: tags.title, artist: tags.artist)
  }
}

/// A file without what follows the last page of an Ogg file.
private func plainView(of file: RegularFile) -> ByteView {
  let page = OggPage(in: file, at: 0)
  let rest = page?.end ?? 0
  let end = page.flatMap { _ in OggStream(file) }?.soundEnd ?? file.contentEnd
  return ByteView(of: file, head: page?.decodable ?? [], [ByteView.Segment(offset: rest, count: max(0, end - rest))])
}

private func text(_ handle: OpaquePointer, _ kind: Int) -> String? {
  guard let text = sf_get_string(handle, Int32(kind)) else { return nil }
  let bytes = UnsafeRawBufferPointer(start: text, count: strnlen(text, SoundTags.longest))
  return tagText(Array(bytes)[...])
}

/// The file's channel map; nil if it has none, or if it contains a loudspeaker that the downmix doesn't support.
private func mappedRoles(_ handle: OpaquePointer, _ channels: Int) -> [ChannelRole]? {
  var map = [Int32](repeating: 0, count: channels)
  let size = Int32(channels * MemoryLayout<Int32>.size)
  guard sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) == SF_TRUE else { return nil }
  let roles = map.map(ChannelRole.init(mapped:))
  return roles.contains(.unknown) ? nil : roles
}

extension ChannelRole {
  fileprivate init(mapped value: Int32) {
    switch Int(value) {
    case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT, SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER: self = .left
    case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER: self = .right
    case SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_FRONT_CENTER, SF_CHANNEL_MAP_MONO: self = .center
    case SF_CHANNEL_MAP_LFE: self = .lowFrequency
    case SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_SIDE_LEFT: self = .surroundLeft
    case SF_CHANNEL_MAP_REAR_RIGHT, SF_CHANNEL_MAP_SIDE_RIGHT: self = .surroundRight
    case SF_CHANNEL_MAP_REAR_CENTER: self = .surroundCenter
    default: self = .unknown
    }
  }
}
