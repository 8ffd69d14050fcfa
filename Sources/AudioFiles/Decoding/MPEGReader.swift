import CMpg123
import Engine
import Glibc

/// Reads MPEG audio by libmpg123, which sees nothing but the frames that a scan has found.
final class MPEGReader: SampleReader {
  let form: SampleForm
  private let file: RegularFile
  private let scan: MPEGScan
  private let handle: OpaquePointer
  private var view: ByteView
  /// The run that the view shows.
  private var run: MPEGScan.Run
  private var position: Int64 = 0

  init(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) {
    let tag = ID3Tag(file)
    form = SampleForm(
      rate: scan.rate, channels: scan.channels,
      // More frames than are there: of a cut file the reading ends before its promised end, with room to fade out.
      frames: scan.length + (scan.isCut ? Int64(Mending.ramp(atRate: scan.rate)) : 0),
      roles: ChannelRole.standard(channels: scan.channels), title: tag.title, artist: tag.artist)
    self.file = file
    self.scan = scan
    run = scan.runs.first ?? MPEGScan.Run(first: 0, count: 0, stretches: [])
    view = ByteView(of: file, run.stretches)
    guard let handle = mpg123_new(nil, nil) else { throw .unreadable(path: file.path, cause: "out of memory") }
    self.handle = handle
    guard configure(), mpg123_open_handle(handle, pointer(to: view)) == MPG123_OK.rawValue, go(to: 0) else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its MPEG frames hold no sound")
    }
  }

  deinit {
    mpg123_close(handle)
    mpg123_delete(handle)
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let size = MemoryLayout<Float>.size * form.channels
    let left = min(scan.length, first(of: run.end)) - position
    let wanted = Int(max(0, min(Int64(frames), left))) * size
    var done = 0
    while done < wanted {
      var count = 0
      let status = mpg123_read(handle, UnsafeMutableRawPointer(samples) + done, wanted - done, &count)
      done += count
      if count == 0, status != MPG123_NEW_FORMAT.rawValue { break }
    }
    position += Int64(done / size)
    return done / size
  }

  func seek(to frame: Int64) -> Bool {
    guard let run = scan.runs.first(where: { frame < first(of: $0.end) }), settled(run) <= frame else { return false }
    return show(run) && go(to: frame)
  }

  func resume(behind frame: Int64) -> Int64? {
    for run in scan.runs where frame < first(of: run.end) {
      let settled = settled(run)
      if frame < settled, settled < first(of: run.end), show(run), go(to: settled) { return position }
    }
    return nil
  }

  /// The frame of sound that an MPEG frame begins with.
  private func first(of number: Int64) -> Int64 { number * Int64(scan.span) - scan.delay }

  /// The frame of sound from which on a run is what it would be had all before been read: a frame needs what frames before
  /// it have left, and two more to pass through the filters.
  private func settled(_ run: MPEGScan.Run) -> Int64 {
    guard run.first > 0, var offset = run.stretches.first?.offset else { return first(of: run.first) }
    var left = 0
    for number in 0..<Int64(Self.preroll) {
      let bytes = file.bytes(at: offset, count: 8)
      guard bytes.count == 8, let header = MPEGHeader(bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }) else { break }
      let reservoir = header.reservoir(bytes)
      if reservoir.needed <= left { return first(of: run.first + number + 2) }
      left += reservoir.own
      offset += Int64(header.size)
    }
    return first(of: run.first + Int64(Self.preroll))
  }

  private func show(_ run: MPEGScan.Run) -> Bool {
    if run == self.run { return true }
    mpg123_close(handle)
    self.run = run
    view = ByteView(of: file, run.stretches)
    return mpg123_open_handle(handle, pointer(to: view)) == MPG123_OK.rawValue
  }

  /// Goes to a frame of sound in the run that is shown.
  private func go(to frame: Int64) -> Bool {
    let target = Int(frame - first(of: run.first))
    guard mpg123_seek(handle, target, SEEK_SET) == target else { return false }
    position = frame
    return true
  }

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
