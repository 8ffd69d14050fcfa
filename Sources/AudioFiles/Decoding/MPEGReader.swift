import CMpg123
import Engine
import Glibc

/// Reads MPEG audio by libmpg123, which sees nothing but the frames that a scan has found.
final class MPEGReader: SampleReader {
  let form: SampleForm
  private let handle: OpaquePointer
  private let view: ByteView
  private let delay: Int64
  private var left: Int64

  init(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) {
    view = ByteView(of: file, scan.stretches)
    let tag = ID3Tag(file)
    form = SampleForm(
      rate: scan.rate, channels: scan.channels,
      // More frames than are there: of a cut file the reading ends before its promised end, with room to fade out.
      frames: scan.length + (scan.isCut ? Int64(Mending.ramp(atRate: scan.rate)) : 0),
      roles: ChannelRole.standard(channels: scan.channels), title: tag.title, artist: tag.artist)
    delay = scan.delay
    left = scan.length
    guard let handle = mpg123_new(nil, nil) else { throw .unreadable(path: file.path, cause: "out of memory") }
    self.handle = handle
    guard configure(), mpg123_open_handle(handle, pointer(to: view)) == MPG123_OK.rawValue, seek(to: 0) else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its MPEG frames hold no sound")
    }
  }

  deinit {
    mpg123_close(handle)
    mpg123_delete(handle)
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let size = MemoryLayout<Float>.size * form.channels
    let wanted = Int(min(Int64(frames), left)) * size
    var done = 0
    while done < wanted {
      var count = 0
      let status = mpg123_read(handle, UnsafeMutableRawPointer(samples) + done, wanted - done, &count)
      done += count
      if count == 0, status != MPG123_NEW_FORMAT.rawValue { break }
    }
    left -= Int64(done / size)
    return done / size
  }

  func seek(to frame: Int64) -> Bool {
    let target = Int(frame + delay)
    guard mpg123_seek(handle, target, SEEK_SET) == target else { return false }
    left -= frame - position
    position = frame
    return true
  }

  private var position: Int64 = 0

  /// The frames before the one that is sought fill the bit reservoir: up to 511 bytes, of frames as small as 24 bytes.
  private static let preroll = 32

  private func configure() -> Bool {
    let flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_SKIP_ID3V2.rawValue
    set(MPG123_ADD_FLAGS, Int(flags))
    set(MPG123_REMOVE_FLAGS, Int(MPG123_GAPLESS.rawValue | MPG123_FUZZY.rawValue))
    set(MPG123_PREFRAMES, Self.preroll)
    mpg123_format_none(handle)
    let channels = Int32(form.channels)
    mpg123_format(handle, form.rate, channels, Int32(MPG123_ENC_FLOAT_32.rawValue))
    return mpg123_replace_reader_handle(
      handle,
      { data, target, count in
        guard let data, let target else { return 0 }
        return byteView(behind: data).read(into: target, count: count)
      },
      { data, offset, whence in data.map { Int(byteView(behind: $0).seek(Int64(offset), whence)) } ?? -1 },
      { _ in }) == MPG123_OK.rawValue
  }

  private func set(_ parameter: mpg123_parms, _ value: Int) {
    mpg123_param2(handle, Int32(parameter.rawValue), value, 0)
  }
}
