/// The packets of the sound of an Ogg file, page by page. libavformat would pass over damaged pages, and give the packets
/// after them the times of those that are missing.
struct OggQueue {
  let stream: OggStream
  private let blocks: OggBlocks
  private var joined = OggPackets()
  /// The page of the packet that was read last, and those of its packets that have not been read.
  private var page: OggPage?
  private var packets: ArraySlice<[UInt8]> = []
  /// Whether the place of the page within the sound is known only from its end: it is the first one, or the first one
  /// after a gap.
  private(set) var isDetached = true

  /// Returns nil if `OggStream` does not support the file.
  init?(_ file: RegularFile) {
    guard let stream = OggStream(file) else { return nil }
    self.stream = stream
    blocks = OggBlocks(file, stream, total: stream.end)
  }

  /// The stream's position at the end of the page, if the packet that was read last is the last one that ends on it.
  var pageEnd: Int64? { packets.isEmpty ? page?.position : nil }
  /// Whether the page is the last one of the stream, whose position shows how much of its end is left out.
  var isLastPage: Bool { page?.isLast ?? false }

  mutating func next() -> [UInt8]? {
    if pageEnd != nil { isDetached = false }
    while packets.isEmpty {
      if let next = blocks.nextPage() {
        page = next
      } else if let next = blocks.pageAfterGap {
        blocks.enter(BlockEntry(offset: next.offset))
        (joined, isDetached) = (OggPackets(), true)
        continue
      } else {
        return nil
      }
      if let page { packets = joined.packets(endingOn: page)[...] }
    }
    return packets.popFirst()
  }
}
