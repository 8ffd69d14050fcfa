/// The blocks of a file with checksums: FLAC frames or Ogg pages. They show up to where the sound is intact, and where
/// decoding can continue after a gap.
///
/// Blocks are checked while they are read, each one once, and those before an entry not at all.
protocol SoundBlocks: AnyObject {
  /// The file as if it began with the block at byte `offset`.
  func view(of file: RegularFile, from offset: Int64) -> ByteView

  /// Makes the blocks of the same file, with a position of their own. Any thread may call the function.
  var another: @Sendable () -> any SoundBlocks { get }

  /// Starts to check blocks at an entry.
  func enter(_ entry: BlockEntry)

  /// Checks blocks up to `frame` or up to a gap. Returns the frame up to which the sound is complete.
  func reach(to frame: Int64) -> Int64

  /// The first complete block after the gap at which `reach` has stopped; nil if there is none.
  func entryAfterGap() -> BlockEntry?

  /// The last complete block from which everything that `frame` needs is decoded; nil if there is none.
  func entry(before frame: Int64) -> BlockEntry?
}

/// A block at which decoding can start.
struct BlockEntry {
  /// The first byte of the block.
  var offset: Int64
  /// The first frame that is decoded there; nil if only the library can find it out.
  var frame: Int64?
}

/// Limits the bytes that are searched for blocks without success, so that a malicious file can't make a search endless.
/// A file that was intact once never reaches the limit.
final class SearchBudget {
  private var left: Int64

  init(bytes: Int64 = 256 << 20) { left = bytes }

  /// Subtracts `count` bytes. Returns false if none are left.
  func spend(_ count: Int64) -> Bool {
    left -= count
    return left > 0
  }
}
