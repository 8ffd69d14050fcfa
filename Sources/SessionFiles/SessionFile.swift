import Files
import Glibc
package import Markup

/// Why a session or script file can't be opened.
public enum SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// Something that is no file. `kind` says what it is, for example "folder".
  case notARegularFile(path: String, kind: String)
  /// The system can't read the file. `code` is the `errno` of the call that failed.
  case unreadable(path: String, code: Int32)

  /// One line that names the file, the problem and how to fix it.
  public var description: String { "\(shown(path, upTo: 4096)): \(problem); \(fix)" }

  private var path: String {
    switch self {
    case .missing(let path), .notARegularFile(let path, _), .unreadable(let path, _): path
    }
  }

  /// The problem, without path and fix.
  package var problem: String {
    switch self {
    case .missing: "no such file"
    case .notARegularFile(_, let kind): "is a \(kind)"
    case .unreadable(_, let code): "can't be read: \(String(cString: strerror(code)))"
    }
  }

  /// The kind of problem.
  package var code: Diagnostic.Code { if case .missing = self { .fileNotFound } else { .fileLoadFailed } }

  /// What to do instead.
  package var fix: String {
    switch self {
    case .missing: "check the path"
    case .notARegularFile: "give the path of a file"
    case .unreadable(_, EACCES), .unreadable(_, EPERM): "check its permissions"
    case .unreadable(_, EMFILE): "raise the limit with 'ulimit -n'"
    case .unreadable: "check the file and its disk"
    }
  }
}

/// Reads the files of sessions and scripts.
package enum SessionFile {
  /// The bytes of a regular file, of stdin if the path is `-`, or of an inherited pipe such as `/dev/fd/63`.
  ///
  /// At most 16 MiB and one block are read: enough to recognize an oversized file. Any other path is opened without
  /// blocking, so that a FIFO or a device is refused at once.
  package static func bytes(_ path: String) throws(SessionFileError) -> [UInt8] {
    if let descriptor = inherited(path) { return try contents(of: descriptor, path) }
    let descriptor = open(path.forSystem, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard 0 <= descriptor else { throw failure(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
    if let kind = kind(of: status.st_mode) { throw .notARegularFile(path: path, kind: kind) }
    return try contents(of: descriptor, path)
  }

  /// Whether a path names stdin or an inherited pipe, which can be read only once.
  package static func isStream(_ path: String) -> Bool { inherited(path) != nil }

  /// The open descriptor that a path names: `-`, `/dev/stdin` or `/dev/fd/63`; nil for any other path.
  private static func inherited(_ path: String) -> Int32? {
    if path == "-" || path == "/dev/stdin" { return 0 }
    let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
    return folder.flatMap { Int32(path.dropFirst($0.count)) }
  }

  private static func contents(of descriptor: Int32, _ path: String) throws(SessionFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= Node.Limit.bytes {
      let count = Glibc.read(descriptor, &block, block.count)
      if count == 0 { break }
      if count < 0, errno == EINTR { continue }
      guard 0 < count else { throw failure(path, errno) }
      bytes += block[..<count]
    }
    return bytes
  }

  /// The error for a failed system call. Opening a socket gives ENXIO.
  private static func failure(_ path: String, _ code: Int32) -> SessionFileError {
    if code == ENOENT || code == ENOTDIR { return .missing(path: path) }
    if code == ENXIO { return .notARegularFile(path: path, kind: "socket or pipe") }
    return .unreadable(path: path, code: code)
  }

  /// The kind of a file that is not a regular file; nil for a regular file.
  static func kind(of mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "folder"
    case S_IFIFO: "pipe"
    case S_IFSOCK: "socket"
    default: "device"
    }
  }

  /// The absolute folder of a file, without a trailing slash unless it is the root; for stdin and pipes the working
  /// directory. Does not resolve symbolic links.
  package static func folder(of path: String) -> String {
    let path = inherited(path) == nil ? path : "-"
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    if path.hasPrefix("/") { return folder.isEmpty ? "/" : String(folder) }
    let base = ProcessInput.folder
    return folder == "." ? base : base + "/" + folder
  }
}
