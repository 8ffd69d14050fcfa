import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// Temporary files of killed renders are removed, but never those of renders in progress.
@Suite struct UnfinishedFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func begin(_ name: String) throws -> FileSink {
    let sink = try FileSink(path: folder.path(name))
    try sink.start(at: .cd)
    try TestSound.noise(100_000).withUnsafeBufferPointer { try sink.write($0) }
    return sink
  }

  @Test func `leftovers are removed, even those with the number of this process`() throws {
    for number in 0..<32 { _ = try folder.write([1], to: ".prosper-\(getpid())-\(number).part") }
    let sink = try begin("a.wav")
    #expect(folder.names.count == 1)
    try sink.finish()
    #expect(folder.names == ["a.wav"])
  }

  @Test func `two renders into one folder do not affect each other`() throws {
    let sinks = try ["a.wav", "b.flac", "c.wav"].map(begin)
    #expect(folder.names.count == 3)
    for sink in sinks { try sink.finish() }
    #expect(folder.names == ["a.wav", "b.flac", "c.wav"])
    for name in folder.names {
      let isWhole = try read(folder.path(name)).frames == TestSound.noise(100_000)
      #expect(isWhole, "\(name)")
    }
  }

  @Test func `files that are not leftovers of prosper are kept`() throws {
    let kept = [".prosper-1-1.part", ".prosper-2-2.part", ".prosper-state", "prosper-3-3.part", "other.part"]
    try FileManager.default.createDirectory(atPath: folder.path(kept[0]), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.path(kept[1]), withDestinationPath: folder.path(kept[4]))
    for name in kept[2...] { _ = try folder.write([1], to: name) }
    try begin("a.wav").finish()
    #expect(folder.names == (kept + ["a.wav"]).sorted())
  }

  @Test func `renders that start and remove leftovers at the same time all complete`() async throws {
    let folder = folder
    for round in 0..<20 {
      let renders = (0..<4).map { index in
        Background {
          let sink = try FileSink(path: folder.path("\(round)-\(index).wav"))
          try sink.start(at: .cd)
          try [Frame.silence].withUnsafeBufferPointer { try sink.write($0) }
          try sink.finish()
        }
      }
      try await onOwnThread { for render in renders { try render.value() } }
    }
    #expect(folder.names.count == 80 && folder.names.allSatisfy { $0.hasSuffix(".wav") })
  }
}
