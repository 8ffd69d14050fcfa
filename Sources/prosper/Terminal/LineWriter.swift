import ArgumentParser
import Glibc
import ProsperKit

/// Buffers text and writes it in large blocks. A reader that has closed the output is not an error. Only one thread may
/// use it.
final class LineWriter {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var isOpen = true
  private var loss: WriteLoss?

  /// - Parameter endsWithReader: whether SIGPIPE may end the program when the reader has closed the output.
  init(descriptor: Int32, endsWithReader: Bool = false) {
    self.descriptor = descriptor
    if !endsWithReader { signal(SIGPIPE, SIG_IGN) }
    // A file that exceeds the limit of its size is reported, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Adds text for readers. Writes a block when the buffer contains 64 KiB.
  func write(_ text: String) { writeExactly(text.readable) }

  /// Adds text that prosper reads again, in which names of files keep bytes that are not UTF-8.
  func writeExactly(_ text: String) {
    bytes += Array(text.utf8)
    if 65_536 <= bytes.count { flush() }
  }

  /// Writes the buffer; returns false if the output can't be written any more.
  @discardableResult
  func flush() -> Bool {
    if isOpen, let code = writeAll(bytes, to: descriptor) {
      isOpen = false
      loss = WriteLoss(code, descriptor)
    }
    bytes.removeAll(keepingCapacity: true)
    return isOpen
  }

  /// Writes the rest.
  ///
  /// - Throws: the exit code, after the error has been printed, if text was lost although there is a reader.
  func finish() throws {
    flush()
    guard let loss else { return }
    StandardError.say(loss.description)
    throw ExitStatus.cannotWrite.code
  }
}

/// Writes all bytes. Blocks until the output takes them, even if it is set to non-blocking, as an inherited one may be.
///
/// - Returns: the error code if the output can't be written any more; nil if everything was written.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if 0 < count {
      rest = rest.dropFirst(count)
    } else if count < 0, errno == EAGAIN {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&polled, 1, -1)
    } else if count == 0 || errno != EINTR {
      return errno
    }
  }
  return nil
}

/// A loss of text although there is a reader, as on a full disk.
struct WriteLoss: Sendable, CustomStringConvertible {
  private let name: String
  private let code: Int32

  /// Nil if the loss does not matter, because the reader or the terminal has been closed.
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
