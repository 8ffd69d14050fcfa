import Foundation
import TestSupport

/// A C library in Tests/Preloaded that replaces functions of the system in a program that preloads it.
///
/// The tests compile it with Swift's clang. As a product of the package, it would be visible to other packages.
enum PreloadedLibrary: String {
  case clockShift = "clock_shift"
  case fewThreads = "few_threads"
  case refusedLibraries = "refused_libraries"
  case smallDisk = "small_disk"
  case stalledFile = "stalled_file"

  /// The path of the shared library. Compiles it on first use in this process.
  func path() throws -> String {
    switch self {
    case .clockShift: try Self.clockShiftPath.get()
    case .fewThreads: try Self.fewThreadsPath.get()
    case .refusedLibraries: try Self.refusedLibrariesPath.get()
    case .smallDisk: try Self.smallDiskPath.get()
    case .stalledFile: try Self.stalledFilePath.get()
    }
  }

  private static let clockShiftPath = Result { try PreloadedLibrary.clockShift.compile() }
  private static let fewThreadsPath = Result { try PreloadedLibrary.fewThreads.compile() }
  private static let refusedLibrariesPath = Result { try PreloadedLibrary.refusedLibraries.compile() }
  private static let smallDiskPath = Result { try PreloadedLibrary.smallDisk.compile() }
  private static let stalledFilePath = Result { try PreloadedLibrary.stalledFile.compile() }

  /// Compiles the library into the folder of prosper. Another test process may have loaded an earlier copy, so the file
  /// is replaced as a whole.
  private func compile() throws -> String {
    let source = Prosper.root.appendingPathComponent("Tests/Preloaded/\(rawValue).c").path
    let library = Prosper.executable.deletingLastPathComponent().appendingPathComponent("\(rawValue).so").path
    let unfinished = "\(library).\(ProcessInfo.processInfo.processIdentifier)"
    _ = try output(
      of: try Self.clang(), ["-O1", "-shared", "-fPIC", source, "-o", unfinished, "-ldl"], environment: [:],
      mustSucceed: true)
    guard rename(unfinished, library) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return library
  }

  /// The path of the clang that belongs to the swift in PATH.
  private static func clang() throws -> String {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    for folder in folders {
      let swift = URL(fileURLWithPath: "\(folder)/swift").resolvingSymlinksInPath()
      let clang = swift.deletingLastPathComponent().appendingPathComponent("clang").path
      if FileManager.default.isExecutableFile(atPath: clang) { return clang }
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
