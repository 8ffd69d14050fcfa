package import Signal

/// Consecutive frames of a sound, and of the layers that it was mixed from.
package struct FrameBlock: Sendable {
  package var output: [Frame]
  /// Music, overlays and gongs, each with as many frames as the output; none if the layers are not known.
  package var layers: [[Frame]]

  package init(_ output: [Frame] = [], layers: [[Frame]] = []) { (self.output, self.layers) = (output, layers) }

  /// Calls `body` with the outputs of two blocks as track 0, and with their layers as the following ones. A block without
  /// layers has none because its sound has ended, or because it is no session.
  package static func forEachTrack(
    _ a: FrameBlock, _ b: FrameBlock, _ body: (Int, UnsafeBufferPointer<Frame>, UnsafeBufferPointer<Frame>) -> Void
  ) {
    a.output.withUnsafeBufferPointer { a in b.output.withUnsafeBufferPointer { b in body(0, a, b) } }
    for index in 0..<max(a.layers.count, b.layers.count) {
      let (a, b) = (a.layers.dropFirst(index).first ?? [], b.layers.dropFirst(index).first ?? [])
      a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { b in body(index + 1, a, b) } }
    }
  }

  /// A−B of the outputs; a missing frame is silent.
  package static func difference(_ a: FrameBlock, _ b: FrameBlock) -> [Frame] {
    let count = max(a.output.count, b.output.count)
    return (0..<count).map { index in
      let x = index < a.output.count ? a.output[index] : .silence
      return index < b.output.count ? x + b.output[index] * -1 : x
    }
  }

  /// The block with both channels mixed, each with half of its amplitude.
  package var mono: FrameBlock {
    FrameBlock(Self.mono(output), layers: layers.map(Self.mono))
  }

  private static func mono(_ frames: [Frame]) -> [Frame] { frames.map { Frame(mono: ($0.left + $0.right) / 2) } }
}
