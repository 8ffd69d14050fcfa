/// What an MPEG-4 or QuickTime file states about a track of sound. Its length is exact here; libavformat only has the
/// length of the track's edit, which many programs round to milliseconds.
struct MovieTrack {
  /// The number by which the file and libavformat identify the track.
  let id: Int64
  /// Ticks per second of the track's times, and of the movie's, in which an edit states its length.
  private let timescale: Int64
  private let movieTimescale: Int64
  /// In ticks of the track.
  private let duration: Int64
  /// The edits that are not empty: their length in ticks of the movie, 0 for the rest, and their beginning in ticks of
  /// the track.
  private let edits: [(length: Int64, start: Int64)]
  /// Ticks per packet; nil if the packets, except for the last one, have different lengths.
  let step: Int64?

  /// The maximum number of edits that are read.
  private static let most: Int64 = 100

  /// The tracks of sound of a file; none if it is in another format.
  static func all(in file: RegularFile) -> [MovieTrack] {
    guard let movie = Box(of: file).first("moov"), let scale = movie.first("mvhd")?.times?.scale, 0 < scale else {
      return []
    }
    return movie.all("trak").compactMap { MovieTrack($0, movieTimescale: scale) }
  }

  private init?(_ track: Box, movieTimescale: Int64) {
    guard let head = track.first("tkhd"), let id = head.number(at: head.version == 1 ? 20 : 12, bytes: 4),
      let media = track.first("mdia"), media.first("hdlr")?.text(at: 8) == "soun",
      let times = media.first("mdhd")?.times, 0 < times.scale
    else { return nil }
    (self.id, self.movieTimescale, timescale, duration) = (id, movieTimescale, times.scale, times.duration)
    edits = Self.edits(track.first("edts")?.first("elst"))
    step = media.first("minf")?.first("stbl")?.first("stts").flatMap(Self.step)
  }

  /// Whether the sound is one piece of the track, or all of it.
  var isPlain: Bool { edits.count <= 1 }
  var hasEdit: Bool { !edits.isEmpty }

  /// The number of ticks from time 0 on; nil if the file does not state it.
  ///
  /// An edit that ends within one tick of the movie from the track's end is rounded, and ends with the track.
  var length: Int64? {
    guard isPlain, 0 < duration, duration < mostFrames else { return nil }
    let edit = edits.first ?? (0, 0)
    let rest = duration - edit.start
    guard 0 < rest else { return nil }
    guard 0 < edit.length, edit.length < mostFrames else { return rest }
    let scaled = Int128(edit.length) * Int128(timescale)
    let isRounded = abs(scaled - Int128(rest) * Int128(movieTimescale)) < Int128(timescale)
    return isRounded ? rest : min(rest, Int64(scaled / Int128(movieTimescale)))
  }

  private static func edits(_ list: Box?) -> [(length: Int64, start: Int64)] {
    guard let list, let count = list.number(at: 4, bytes: 4) else { return [] }
    let size: Int64 = list.version == 1 ? 8 : 4
    return (0..<min(count, most)).compactMap { index in
      let place = 8 + index * (2 * size + 4)
      guard let length = list.number(at: place, bytes: size), let start = list.number(at: place + size, bytes: size),
        0 <= start, size == 8 || start != 0xFFFF_FFFF
      else { return nil }
      return (length, start)
    }
  }

  /// The length of all packets but the last one, which may be shorter or not.
  private static func step(_ times: Box) -> Int64? {
    guard let count = times.number(at: 4, bytes: 4), 1...2 ~= count, let packets = times.number(at: 8, bytes: 4),
      let step = times.number(at: 12, bytes: 4), 0 < step
    else { return nil }
    if count == 1 { return step }
    return 0 < packets && times.number(at: 16, bytes: 4) == 1 ? step : nil
  }
}

/// A box of an MPEG-4 file: its content.
private struct Box {
  private let file: RegularFile
  private let start: Int64
  private let end: Int64

  private init(file: RegularFile, start: Int64, end: Int64) { (self.file, self.start, self.end) = (file, start, end) }

  /// The whole file.
  init(of file: RegularFile) { self.init(file: file, start: 0, end: file.size) }

  func first(_ name: String) -> Box? { boxes(name, most: 1).first }
  func all(_ name: String) -> [Box] { boxes(name, most: 100) }

  private func boxes(_ name: String, most: Int) -> [Box] {
    var found: [Box] = []
    var offset = start
    for _ in 0..<1_000 where offset + 8 <= end && found.count < most {
      let head = file.bytes(at: offset, count: 16)
      guard 8 <= head.count else { break }
      var (size, content) = (number(head[..<4]), offset + 8)
      if size == 1, head.count == 16 { (size, content) = (number(head[8...]), offset + 16) }
      if size == 0 { size = end - offset }
      guard content - offset <= size, size <= end - offset else { break }
      if String(decoding: head[4..<8], as: UTF8.self) == name {
        found.append(Box(file: file, start: content, end: offset + size))
      }
      offset += size
    }
    return found
  }

  var version: Int64? { number(at: 0, bytes: 1) }

  /// The ticks per second and the duration in a header of a movie or of a medium.
  var times: (scale: Int64, duration: Int64)? {
    let size: Int64 = version == 1 ? 8 : 4
    guard let scale = number(at: 4 + 2 * size, bytes: 4), let duration = number(at: 8 + 2 * size, bytes: size) else {
      return nil
    }
    return (scale, duration)
  }

  func number(at offset: Int64, bytes count: Int64) -> Int64? {
    guard start + offset + count <= end else { return nil }
    let bytes = file.bytes(at: start + offset, count: Int(count))
    return bytes.count == Int(count) ? number(bytes[...]) : nil
  }

  func text(at offset: Int64) -> String? {
    guard start + offset + 4 <= end else { return nil }
    return String(decoding: file.bytes(at: start + offset, count: 4), as: UTF8.self)
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
