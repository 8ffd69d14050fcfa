import Sounds

/// A file whose sound is in a chunk of a container: WAV, RIFX, RF64, BW64, W64, AIFF, AIFC or CAF; or an AU file.
///
/// libsndfile does not read such a file itself, because it stops at padding that it does not expect, and believes sizes
/// that are none. It gets a plain header, made from the chunks that describe the format, and the bytes of the sound.
struct SoundContainer {
  /// The bytes of the sound in the file.
  let sound: ByteView.Segment
  let size: StatedSize
  /// The frames that a `fact` chunk states; nil if there is none.
  private(set) var frames: Int64?
  /// Whether the sound is MPEG audio.
  private(set) var isMPEG = false
  /// Whether libsndfile does not decode the encoding.
  private(set) var isForeign = false
  private(set) var tags = SoundTags()
  /// The plain header with the stated size, and with that of the sound which the file holds.
  private let (head, presentHead): ([UInt8], [UInt8])
  /// The part of the file that describes the format.
  private let format: (offset: Int64, bytes: [UInt8])

  /// Nil for other files, and if the chunks with the format or with the sound are missing.
  init?(_ file: RegularFile) {
    let mark = file.bytes(at: 0, count: 24)
    if mark.starts(with: ".snd".utf8) || mark.starts(with: "dns.".utf8) {
      self.init(file, header: mark)
    } else if let layout = ChunkFormat(file), let chunks = SoundChunks(of: file, layout) {
      self.init(chunks)
    } else {
      return nil
    }
    tags.complete(with: file.tags)
  }

  private init(_ chunks: SoundChunks) {
    (sound, size, tags) = (chunks.sound, chunks.size, chunks.tags)
    (head, presentHead) = (chunks.head(sound: chunks.size.stated), chunks.head(sound: chunks.size.present))
    format = (chunks.format.offset, chunks.format.bytes)
    let fact = chunks.details.first { $0.name == "fact" }
    frames = fact.flatMap { 4 <= $0.bytes.count ? $0.bytes[..<4].number(chunks.layout.order) : nil }
    (isMPEG, isForeign) = (chunks.isMPEG, chunks.isForeign)
  }

  /// An AU file, whose header has 24 bytes and a text.
  private init?(_ file: RegularFile, header: [UInt8]) {
    let order: ByteOrder = header[0] == UInt8(ascii: ".") ? .big : .little
    guard header.count == 24, case let body = header[4..<8].number(order), 24 <= body, body <= file.size
    else { return nil }
    let stated = header[8..<12].number(order)
    size = StatedSize(stated == 0 ? -1 : stated, in: file, from: body, isWhole: true, block: Self.block(header, order))
    sound = ByteView.Segment(offset: body, count: size.present)
    format = (12, Array(header[12...]))
    let heads = [size.stated, size.present].map { count in
      header[..<4] + order.bytes(24, count: 4) + order.bytes(min(count, 0xFFFF_FFFF), count: 4) + Array(header[12...])
    }
    (head, presentHead) = (Array(heads[0]), Array(heads[1]))
  }

  /// The bytes of the smallest piece of sound in an AU file that can be decoded; 1 for samples that are not compressed.
  private static func block(_ header: [UInt8], _ order: ByteOrder) -> Int64 {
    [23: 60, 25: 45, 26: 75][header[12..<16].number(order)] ?? 1
  }

  /// The bytes that libsndfile reads. Of a file that is cut short, it sees the size that the header states.
  func view(of file: RegularFile) -> ByteView {
    ByteView(of: file, head: head, [sound], missing: size.stated - size.present)
  }

  /// The bytes that libsndfile would read if the header stated the size of the sound that the file holds.
  func presentView(of file: RegularFile) -> ByteView { ByteView(of: file, head: presentHead, [sound]) }

  /// Whether the file still describes the format as it did when it was opened.
  func hasSameFormat(in file: RegularFile) -> Bool {
    file.currentBytes(at: format.offset, count: format.bytes.count) == format.bytes
  }
}
