import Glibc

/// What the kernel says of memory, read without Foundation.
enum ProcessMemory {
  /// The memory of this process that is in use, without what is swapped out; nil where the kernel doesn't say.
  static var residentBytes: Int? {
    // Pages: size, resident, shared...
    let pages = text(of: "/proc/self/statm").split(separator: " ").dropFirst().first
    return pages.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
  }

  /// The beginning of a short file of the kernel's; empty where there is none.
  static func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return "" }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
