import ArgumentParser
import Glibc

/// Collects text and writes it in large blocks. A reader that has gone away is not an error. One thread only.
final class LineWriter {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var isOpen = true
  private var loss: WriteLoss?

  /// - Parameter endsWithReader: whether SIGPIPE may end the program as soon as nobody reads the output.
  init(descriptor: Int32, endsWithReader: Bool = false) {
    self.descriptor = descriptor
    if !endsWithReader { signal(SIGPIPE, SIG_IGN) }
  }

  /// Adds text; writes a block once 64 KiB have been collected.
  func write(_ text: String) {
    bytes += Array(text.utf8)
    if 65_536 <= bytes.count { flush() }
  }

  /// Writes what has been collected; returns false if the output can't be written any more.
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

  /// Writes the rest.
  ///
  /// - Throws: the exit code, after an error has been printed, if text was lost that a reader is waiting for.
  func finish() throws {
    flush()
    guard let loss else { return }
    StandardError.say(loss.description)
    throw ExitStatus.cannotWrite.code
  }
}

/// A loss of text although there is a reader, as on a full disk.
struct WriteLoss: Sendable, CustomStringConvertible {
  private let name: String
  private let code: Int32

  /// Nil if the loss does not matter: the reader has gone away, or the terminal has been closed.
  init?(_ code: Int32, _ descriptor: Int32) {
    var facts = stat()
    let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    guard [ENOSPC, EDQUOT, EFBIG].contains(code) || isFile && code == EIO else { return nil }
    name = descriptor == 2 ? "stderr" : "stdout"
    self.code = code
  }

  var description: String {
    "\(name) can't be written: \(String(cString: strerror(code)).lowercased()); free some space, or redirect it"
  }
}
