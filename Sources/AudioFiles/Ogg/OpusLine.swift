/// Decodes the packets of an Opus stream in order, from a page on. Used by one thread at a time.
final class OpusLine {
  /// The frame that is read next; negative within the pre-skip.
  private(set) var position: Int64 = 0
  private let pages: OggBlocks
  private let decoder: OpusDecoder
  private let channels: Int
  private var joined = OggPackets()
  /// The packets of the current page that have not been decoded.
  private var packets: ArraySlice<[UInt8]> = []
  /// Frames that the stream leaves out before the next packet: the positions of its pages show it.
  private var omitted: Int64 = 0
  /// The last decoded packet, interleaved.
  private var samples: [Float]
  /// The frames of `samples` that have not been read.
  private var unread = 0..<0
  /// The most seconds that a stream may leave out at once.
  private static let longestOmission: Int64 = 600

  /// Returns nil if no complete page follows at the entry, or if libopus can't decode the stream.
  init?(_ pages: OggBlocks, at entry: BlockEntry, _ header: OpusHeader) {
    guard let decoder = OpusDecoder(header) else { return nil }
    (self.pages, self.decoder, channels) = (pages, decoder, header.channels)
    samples = Array(repeating: 0, count: OpusDecoder.longestPacket * header.channels)
    pages.enter(entry)
    guard var (page, length) = nextPackets() else { return nil }
    if entry.offset == pages.stream.headEnd {
      position = -pages.skip
      omit(before: page, length)
      return
    }
    while !isFollowed(page) {
      guard let next = nextPackets() else { return nil }
      (page, length) = next
    }
    position = pages.end(of: page) - length
  }

  /// Moves to `frame`. Packets that end up to `first` are not decoded. Returns false if the sound is not complete up to
  /// `frame`.
  func skip(to frame: Int64, decodingFrom first: Int64) -> Bool {
    while position < frame {
      guard load(decodingFrom: first) else { return false }
      advance(by: Int(min(frame - position, loaded)))
    }
    return position == frame
  }

  /// Reads up to `frames` interleaved frames; fewer only at a gap, at the end, or before a packet that can't be decoded.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while done < frames, load() {
      let count = Int(min(Int64(frames - done), loaded))
      let next = target + done * channels
      samples.withUnsafeBufferPointer { samples in
        if omitted == 0, let base = samples.baseAddress {
          next.update(from: base + unread.lowerBound * channels, count: count * channels)
        } else {
          next.update(repeating: 0, count: count * channels)
        }
      }
      advance(by: count)
      done += count
    }
    return done
  }

  /// Whether `read` delivers at least one frame.
  var canRead: Bool { load() }

  /// The number of frames that can be read without another packet.
  private var loaded: Int64 { 0 < omitted ? omitted : Int64(unread.count) }

  private func advance(by count: Int) {
    position += Int64(count)
    if 0 < omitted { omitted -= Int64(count) } else { unread.removeFirst(count) }
  }

  /// Decodes the next packet, unless frames are left. Returns false at a gap, at the end, and if the packet can't be
  /// decoded.
  private func load(decodingFrom first: Int64 = .min) -> Bool {
    while loaded == 0 {
      guard let packet = packets.popFirst() else {
        guard let (page, length) = nextPackets() else { return false }
        omit(before: page, length)
        continue
      }
      let length = Int64(OpusDecoder.length(of: packet))
      if length == 0 || position + length <= first {
        position += length
      } else {
        let count = samples.withUnsafeMutableBufferPointer { samples in
          samples.baseAddress.map { decoder.decode(packet, into: $0, room: OpusDecoder.longestPacket) } ?? 0
        }
        if count == 0 { return false }
        unread = 0..<count
      }
    }
    return true
  }

  /// Sets what the stream leaves out before a page whose packets have `length` frames. An impossible position of the
  /// page is ignored.
  private func omit(before page: OggPage, _ length: Int64) {
    let left = pages.end(of: page) - length - position
    // The position of the last page shows only how much of its end is trimmed.
    guard 0 < left, left <= Self.longestOmission * Int64(OpusDecoder.rate), !page.isLast, isFollowed(page) else {
      return
    }
    omitted = left
  }

  /// Takes the next page on which packets end. Returns it with the length of these packets in frames; nil at a gap and
  /// at the end.
  private func nextPackets() -> (OggPage, length: Int64)? {
    while let page = pages.nextPage() {
      packets = joined.packets(endingOn: page)[...]
      if !packets.isEmpty { return (page, length(of: packets)) }
    }
    return nil
  }

  private func length(of packets: ArraySlice<[UInt8]>) -> Int64 {
    packets.reduce(0) { $0 + Int64(OpusDecoder.length(of: $1)) }
  }

  /// Whether the next page begins where this one ends. If not, the position of one of them is wrong.
  private func isFollowed(_ page: OggPage) -> Bool {
    guard let next = pages.peek() else { return true }
    var joined = joined
    let begin = pages.end(of: next) - length(of: joined.packets(endingOn: next)[...])
    return next.isLast ? begin <= pages.end(of: page) : begin == pages.end(of: page)
  }
}
