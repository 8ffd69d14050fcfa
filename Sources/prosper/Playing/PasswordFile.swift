import Glibc
import ProsperKit

/// Reads the password of a server from a file. Arguments and the environment are visible to other programs.
enum PasswordFile {
  private static let longest = 4_096

  /// - Parameters:
  ///   - path: of the file or an open descriptor, such as `/dev/fd/3`; nil if none was named.
  ///   - mount: for which the password is.
  /// - Returns: the first line.
  static func read(_ path: String?, _ mount: IcecastMount) throws(Refusal) -> String {
    guard let path else {
      throw Refusal("\(mount) needs a password; write it into a file, and add --password-file FILE")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { throw Refusal("\(path): can't be read: \(ErrorNumber(code: errno).message)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: longest)
    while bytes.count < longest {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Refusal("\(path): can't be read: \(ErrorNumber(code: errno).message)") }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    if line.isEmpty { throw Refusal("\(path): contains no password; write it into the first line") }
    return String(decoding: line, as: UTF8.self)
  }
}
