import Glibc

/// The memory of this process as the kernel reports it, read without Foundation.
enum ProcessMemory {
  /// The resident memory of this process in bytes, without swapped pages; nil if the kernel doesn't report it.
  static var residentBytes: Int? {
    // The file lists counts of pages: size, resident, shared, ...
    let pages = text(of: "/proc/self/statm").split(separator: " ").dropFirst().first
    return pages.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
  }

  /// The first 512 bytes of a kernel file; empty if it can't be read.
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
