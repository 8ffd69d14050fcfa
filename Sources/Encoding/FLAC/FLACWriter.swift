import CFLAC
import Engine
import Signal

/// Writes FLAC files. The stream is encoded in pieces, several at the same time, and the pieces are joined.
///
/// All pieces but the last have the same length, and are encoded independently, so the number of jobs doesn't change
/// the file: it is the one that libFLAC would write in one go.
final class FLACWriter: ByteWriter {
  private let file: any ByteSink
  private var head: FLACStreamHead
  private var metadata: FLACMetadata
  /// Bytes of the metadata at first, with room for the planned chapters.
  private let metadataSize: Int
  private var sum = MD5()
  /// The pieces, used in turn. While one is filled, the others are encoded or wait for their turn.
  private let pieces: [FLACPiece]
  /// A thread for each job; nil if there is only one, which is done by the thread that writes.
  private let threads: WorkThreads?
  /// Pieces that were started, and pieces that were written to the file.
  private var (started, collected) = (0, 0)
  /// Whether the next piece contains samples.
  private var isFilling = false

  init(_ file: any ByteSink, _ settings: FLACSettings, _ details: FileDetails) {
    self.file = file
    head = FLACStreamHead(settings: settings)
    let vendor = Array(String(cString: prosper_flac_vendor()).utf8)
    metadata = FLACMetadata(information: head.information, vendor: vendor, details)
    let (bytes, jobs) = (metadata.bytes(details.chapters?.reserved ?? []), details.jobs)
    metadataSize = bytes.count
    // A thread that has finished a piece begins the next one at once, because there are two for each.
    pieces = (0..<(jobs == 1 ? 1 : 2 * jobs)).map { _ in FLACPiece(settings) }
    threads = jobs == 1 ? nil : WorkThreads(jobs)
    file.write(bytes)
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SinkError) in try encode(UnsafeRawBufferPointer(bytes)) }
  }

  /// Encodes and writes what is left, and replaces the metadata by the complete one.
  func close(_ chapters: [Chapter]) throws(SinkError) {
    try file.check()
    if isFilling { start() }
    while collected < started { try collect() }
    head.sum = sum.sum
    metadata.information = head.information
    try file.replaceBeginning(metadataSize, by: metadata.bytes(chapters, filling: metadataSize))
    try file.check()
  }

  private func encode(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
    var rest = bytes
    while !rest.isEmpty {
      if !isFilling, started - collected == pieces.count { try collect() }
      let (taken, isFull) = pieces[started % pieces.count].fill(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
      isFilling = !isFull
      if isFull { start() }
    }
    // Meanwhile the threads encode.
    sum.update(bytes)
    head.frames += Int64(bytes.count / head.settings.encoding.bytesPerFrame)
  }

  private func start() {
    let number = Int64(started * (FLACPiece.capacity / FLACSettings.blockFrames))
    pieces[started % pieces.count].start(number: number, on: threads)
    started += 1
    isFilling = false
  }

  /// Waits for the oldest piece and writes it to the file.
  private func collect() throws(SinkError) {
    let failure = pieces[collected % pieces.count].collect { frames in
      file.write(frames.bytes)
      guard let sizes = frames.sizes else { return }
      let all = head.sizes ?? sizes
      head.sizes = min(all.lowerBound, sizes.lowerBound)...max(all.upperBound, sizes.upperBound)
    }
    collected += 1
    try file.check()
    if let failure { throw .cannotWrite(path: file.path, cause: "libFLAC reports: \(failure)") }
  }
}
