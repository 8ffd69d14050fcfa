import CSndFile
import Engine
import Glibc

/// Reads what libsndfile reads: WAV and its kin, AIFF, CAF, FLAC, Ogg Vorbis, Opus.
final class SndFileReader: SampleReader {
  let form: SampleForm
  private let handle: OpaquePointer
  private let view: ByteView
  private let format: Int32
  private let present: Int64?

  init(_ file: RegularFile) throws(SourceError) {
    let view = ByteView(of: file)
    self.view = view
    view.claim(promisedData(file))
    var info = SF_INFO()
    let opened = withViewCallbacks { sf_open_virtual(&$0, Int32(SFM_READ), &info, pointer(to: view)) }
    guard let opened else { throw Self.failure(file) }
    guard info.channels > 0, info.samplerate > 0, info.majorFormat != SF_FORMAT_MPEG else {
      sf_close(opened)
      throw .unknownFormat(path: file.path)
    }
    handle = opened
    format = info.format
    present = info.frames == Int64.max ? nil : info.frames
    form = SampleForm(opened, info, isCut: info.majorFormat == SF_FORMAT_OGG && isCutOgg(file))
  }

  deinit { sf_close(handle) }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    max(0, Int(sf_readf_float(handle, samples, Int64(frames))))
  }

  func seek(to frame: Int64) -> Bool {
    let landing = landing(before: frame)
    guard sf_seek(handle, landing, SEEK_SET) == landing else { return false }
    return discard(frame - landing)
  }

  /// libsndfile misplaces what lies on the last page of an Ogg Vorbis file, whose end is trimmed. A page holds at most 255
  /// packets of at most 4,096 frames that advance by half: it is entered from the page before.
  private func landing(before frame: Int64) -> Int64 {
    guard format & Int32(SF_FORMAT_SUBMASK) == Int32(SF_FORMAT_VORBIS), let present else { return frame }
    return max(0, min(frame, present - 2 * 255 * 2_048))
  }

  private func discard(_ count: Int64) -> Bool {
    var left = count
    let channels = form.channels
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * channels) { scratch in
      while left > 0, let base = scratch.baseAddress {
        let done = read(into: base, frames: Int(min(left, 4_096)))
        if done == 0 { return false }
        left -= Int64(done)
      }
      return true
    }
  }

  private static func failure(_ file: RegularFile) -> SourceError {
    let cause = String(cString: sf_strerror(nil))
    switch sf_error(nil) {
    case Int32(SF_ERR_UNRECOGNISED_FORMAT): return .unknownFormat(path: file.path)
    case Int32(SF_ERR_UNSUPPORTED_ENCODING):
      return .unsupported(path: file.path, what: "its encoding is not supported; convert it to FLAC or WAV")
    default: return .damaged(path: file.path, atSecond: 0, cause: trimmed(cause))
    }
  }

  /// libsndfile's sentences as the middle of one of ours.
  private static func trimmed(_ cause: String) -> String {
    var sentence = Substring(cause)
    if sentence.hasPrefix("Error : ") { sentence = sentence.dropFirst(8) }
    while let last = sentence.last, last == "." || last == "\n" { sentence = sentence.dropLast() }
    return String(sentence)
  }
}

extension SF_INFO {
  var majorFormat: Int { Int(format) & SF_FORMAT_TYPEMASK }
  var minorFormat: Int { Int(format) & SF_FORMAT_SUBMASK }
}

extension SampleForm {
  fileprivate init(_ handle: OpaquePointer, _ info: SF_INFO, isCut: Bool) {
    let channels = Int(info.channels)
    let isOgg = info.majorFormat == SF_FORMAT_OGG
    self.init(
      rate: Int(info.samplerate), channels: channels,
      frames: promisedFrames(info).map { $0 + (isCut ? 1 : 0) }, isCut: isCut,
      roles: mappedRoles(handle, channels)
        ?? (isOgg ? ChannelRole.vorbis(channels: channels) : ChannelRole.standard(channels: channels)),
      isFloatingPoint: [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE].contains(info.minorFormat),
      title: text(handle, SF_STR_TITLE), artist: text(handle, SF_STR_ARTIST))
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
