import Glibc
import ProsperKit

/// The password for a mount, from a file or the keyring. Arguments and the environment are visible to other programs.
enum MountPassword {
  private static let longest = 4_096

  /// - Parameter file: the file or an open descriptor, such as `/dev/fd/3`; nil for the keyring.
  static func read(_ file: String?, for mount: IcecastMount) throws(Refusal) -> String {
    if let file { try firstLine(of: file) } else { try kept(for: mount) }
  }

  private static func kept(for mount: IcecastMount) throws(Refusal) -> String {
    do throws(Keyring.Failure) { return try Keyring().password(for: mount) } catch {
      switch error {
      case .locked: throw Refusal("\(mount): the keyring with the password is locked; unlock it")
      case .unavailable:
        throw Refusal("\(mount) needs a password; write it into a file, and add --password-file FILE")
      case .unknown:
        throw Refusal(
          "\(mount) needs a password, and the keyring has none; add --password-file FILE, or run: secret-tool store "
            + "--label Icecast protocol icecast server \(mount.host) user \(mount.user)")
      }
    }
  }

  private static func firstLine(of path: String) throws(Refusal) -> String {
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
    guard line.count < longest, !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
      throw Refusal("\(path): contains no password; write a text of less than \(longest) bytes in UTF-8")
    }
    return text
  }
}
