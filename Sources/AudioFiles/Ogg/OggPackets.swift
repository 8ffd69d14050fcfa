/// Joins the packets of a stream, which may be spread over several pages.
struct OggPackets {
  /// The beginning of the packet that continues on the next page; nil if there is none.
  private var beginning: [UInt8]?
  /// No packet of sound is longer.
  private static let longest = 1 << 20

  /// The packets that end on the next page, without one whose beginning is missing.
  mutating func packets(endingOn page: OggPage) -> [[UInt8]] {
    var ended: [[UInt8]] = []
    var packet = page.isContinued ? beginning : []
    var body = page.body
    beginning = nil
    for size in page.lacing {
      packet?.append(contentsOf: body.prefix(Int(size)))
      body = body.dropFirst(Int(size))
      if size == 255 { continue }
      if let packet { ended.append(packet) }
      packet = []
    }
    if page.lacing.last == 255, let packet, packet.count <= Self.longest { beginning = packet }
    return ended
  }
}
