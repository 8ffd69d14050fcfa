import ArgumentParser
import Glibc

/// Gathers text and writes it in large pieces; a reader that has gone away is no error.
final class LineWriter {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var isOpen = true
  private var loss: WriteLoss?

  /// - Parameter endsWithReader: whether the program has nothing more to do once nobody reads.
  init(descriptor: Int32, endsWithReader: Bool = false) {
    self.descriptor = descriptor
    if !endsWithReader { signal(SIGPIPE, SIG_IGN) }
  }

  func write(_ text: String) {
    bytes += Array(text.utf8)
    if 65_536 <= bytes.count { flush() }
  }

  /// False when not everything could be written.
  @discardableResult
  func flush() -> Bool {
    var rest = bytes[...]
    while isOpen, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        isOpen = false
        loss = WriteLoss(errno, descriptor)
      } else {
        rest = rest.dropFirst(count)
      }
    }
    bytes.removeAll(keepingCapacity: true)
    return isOpen
  }

  /// Writes the rest; complains and ends with the right code where text was lost that somebody wants.
  func finish() throws {
    flush()
    guard let loss else { return }
    Complaint.say(loss.description)
    throw ExitStatus.cannotWrite.code
  }
}

/// Text that could not be written though its reader is there, as onto a full disk.
struct WriteLoss: Sendable, CustomStringConvertible {
  private let name: String
  private let code: Int32

  /// Nil for a reader that has gone away, and for a terminal that has.
  init?(_ code: Int32, _ descriptor: Int32) {
    var facts = stat()
    let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    guard [ENOSPC, EDQUOT, EFBIG].contains(code) || isFile && code == EIO else { return nil }
    name = descriptor == 2 ? "stderr" : "stdout"
    self.code = code
  }

  var description: String {
    "\(name) can't be written: \(String(cString: strerror(code)).lowercased()); make room, or send it elsewhere"
  }
}
