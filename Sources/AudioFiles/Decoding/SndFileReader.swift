import CSndFile
import Engine

/// Reads what libsndfile reads: WAV and its kin, AIFF, CAF, FLAC, Ogg Vorbis, Opus.
///
/// Where the file is made of blocks that carry checksums, libsndfile sees it only from a whole block on, as if the file began
/// there: it would pass over holes in silence, and what comes behind them would come too early.
final class SndFileReader: SampleReader {
  let form: SampleForm
  private let file: RegularFile
  private var handle: SndFileHandle
  private let blocks: (any SoundBlocks)?
  /// Frames of the file in all, by which a view of its end is placed.
  private let total: Int64?
  /// Frames that an Opus decoder takes to become what it would be had it read all before. Behind a hole they are the 80 ms of
  /// RFC 7845, of which libsndfile leaves out what the header says: the rest of the error falls by 3 dB in 10 ms. Where more
  /// is there, more is read.
  private let settling: (before: Int64, behind: Int64)
  /// The frame that is read next.
  private var position: Int64 = 0
  private var silence: SilenceWatch
  /// Whether nothing more comes of the handle, or what comes would be in the wrong place.
  private var isBroken: Bool
  /// Of the file, up to which its format was looked at.
  private var changes = 0

  /// Holes that follow each other with too little between them to be heard; more of them, and the rest is given up.
  private static let tries = 64

  init(_ file: RegularFile) throws(SourceError) {
    let view = ByteView(of: file)
    view.claim(promisedData(file))
    guard let handle = SndFileHandle(view) else { throw refusal(file) }
    let info = handle.info
    guard info.channels > 0, info.samplerate > 0, info.majorFormat != SF_FORMAT_MPEG else {
      throw .unknownFormat(path: file.path)
    }
    guard info.frames <= mostFrames || info.frames == .max else { throw unbelievable(file) }
    self.file = file
    self.handle = handle
    silence = SilenceWatch(channels: Int(info.channels))
    let present = promisedFrames(info)
    guard info.majorFormat == SF_FORMAT_OGG, let present, let stream = OggStream(file) else {
      let blocks = info.majorFormat == SF_FORMAT_FLAC ? FLACBlocks(file) : nil
      total = present.map { frames in blocks.map { $0.base < frames ? frames - $0.base : frames } ?? frames }
      self.blocks = blocks
      settling = (0, 0)
      isBroken = false
      form = SampleForm(handle, frames: total, isCut: info.majorFormat == SF_FORMAT_OGG && isCutOgg(file))
      return
    }
    let step: Int64 = stream.isOpus ? 48_000 / Int64(info.samplerate) : 1
    let total = stream.hasItsBeginning ? present : max(0, stream.end - stream.skip) / step
    guard total <= mostFrames else { throw unbelievable(file) }
    self.total = total
    blocks = OggBlocks(file, stream, total: total, step: step)
    settling = stream.isOpus ? (max(19_200, stream.skip) / step, max(0, 3_840 - stream.skip) / step) : (0, 0)
    isBroken = total != present
    form = SampleForm(handle, frames: total, isCut: !stream.hasItsEnd)
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    if isBroken { return 0 }
    let pages = blocks as? OggBlocks
    let whole = pages.map { $0.reach(to: position + Int64(frames)) - position } ?? Int64(frames)
    var done = handle.read(into: samples, frames: Int(max(0, min(whole, Int64(frames)))))
    if pages == nil { done = wholeFrames(samples, done) }
    if turnsToAnotherFormat { (done, isBroken) = (0, true) }
    position += Int64(done)
    return done
  }

  /// Whether the file was changed meanwhile, and is no longer of the format as which it is read. Blocks tell that themselves.
  private var turnsToAnotherFormat: Bool {
    guard blocks == nil, changes != handle.view.changes else { return false }
    changes = handle.view.changes
    let view = ByteView(of: file)
    view.claim(promisedData(file))
    guard let now = SndFileHandle(view)?.info else { return true }
    return (now.format, now.samplerate, now.channels)
      != (handle.info.format, handle.info.samplerate, handle.info.channels)
  }

  func seek(to frame: Int64) -> Bool {
    if blocks != nil { return land(behind: frame, orOn: true) == frame }
    let landing = landing(before: frame)
    return handle.seek(to: landing) && handle.discard(frame - landing)
  }

  /// What was written over it is another sound, also where its blocks are whole.
  func resume(behind frame: Int64) -> Int64? { handle.view.isCutOff ? nil : land(behind: frame, orOn: false) }

  /// Goes to the first frame behind the next hole from `frame` on, or to `frame` itself where there is none before it.
  private func land(behind frame: Int64, orOn isContent: Bool) -> Int64? {
    guard let blocks, let entry = blocks.entry(before: frame - settling.before) else { return nil }
    if isContent, let first = enter(entry), go(from: first, to: frame) { return frame }
    blocks.enter(entry)
    _ = blocks.reach(to: frame + 1)
    for _ in 0..<Self.tries {
      guard let next = blocks.entryBehindHole(), let first = enter(next) else { return nil }
      let target = max(frame, first + settling.behind)
      if go(from: first, to: target) { return target }
    }
    return nil
  }

  /// Has libsndfile begin with a block; returns the first frame that comes.
  private func enter(_ entry: BlockEntry) -> Int64? {
    isBroken = true
    guard let blocks else { return nil }
    blocks.enter(entry)
    guard let handle = SndFileHandle(blocks.view(of: file, from: entry.offset)) else { return nil }
    guard handle.info.channels == form.channels, handle.info.samplerate == form.rate else { return nil }
    self.handle = handle
    if let frame = entry.frame { return frame }
    // What an Opus header leaves out, libsndfile leaves out only where the stream's own count begins, but counts it
    // everywhere: it is brought to where it believes to be.
    guard let total, let left = promisedFrames(handle.info), settling.before == 0 || handle.seek(to: 0) else {
      return nil
    }
    return total - left
  }

  /// Passes over what comes before a frame; false where it is not whole up to there.
  private func go(from first: Int64, to frame: Int64) -> Bool {
    position = frame
    let isWhole = blocks.map { frame < $0.reach(to: frame + 1) } ?? false
    guard isWhole, first <= frame, handle.discard(frame - first) else { return false }
    isBroken = false
    return true
  }

  /// How many of the frames that were just read come before the first block that is damaged or missing: libFLAC goes on
  /// behind it.
  private func wholeFrames(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    isBroken = handle.hasFailed
    guard let blocks, isBroken || silence.breaksOff(in: samples, frames: frames),
      let entry = blocks.entry(before: position)
    else { return frames }
    blocks.enter(entry)
    let whole = Int(max(0, min(Int64(frames), blocks.reach(to: position + Int64(frames)) - position)))
    if whole < frames { isBroken = true }
    return whole
  }

  /// libsndfile misplaces what lies on the last page of an Ogg Vorbis file, whose end is trimmed. A page holds at most 255
  /// packets of at most 4,096 frames that advance by half: it is entered from the page before.
  private func landing(before frame: Int64) -> Int64 {
    guard handle.info.minorFormat == SF_FORMAT_VORBIS, let total else { return frame }
    return max(0, min(frame, total - 2 * 255 * 2_048))
  }
}

extension SampleForm {
  fileprivate init(_ handle: SndFileHandle, frames: Int64?, isCut: Bool) {
    let channels = Int(handle.info.channels)
    let rate = Int(handle.info.samplerate)
    let isOgg = handle.info.majorFormat == SF_FORMAT_OGG
    self.init(
      rate: rate, channels: channels,
      // Of a cut file more is promised than is there, and in that the sound fades out.
      frames: frames.map { $0 + (isCut ? Int64(Mending.ramp(atRate: rate)) : 0) }, isCut: isCut,
      roles: mappedRoles(handle.pointer, channels)
        ?? (isOgg ? ChannelRole.vorbis(channels: channels) : ChannelRole.standard(channels: channels)),
      isFloatingPoint: [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE].contains(handle.info.minorFormat),
      title: text(handle.pointer, SF_STR_TITLE), artist: text(handle.pointer, SF_STR_ARTIST))
  }
}

private func text(_ handle: OpaquePointer, _ kind: Int) -> String? {
  guard let text = sf_get_string(handle, Int32(kind)) else { return nil }
  let string = String(cString: text)
  return string.isEmpty ? nil : string
}

/// The channel map that the file carries, unless it names a loudspeaker that a fold has no place for.
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
