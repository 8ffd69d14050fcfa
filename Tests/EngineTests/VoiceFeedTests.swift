import Rings
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Engine
import Sounds

/// Sounds that several threads decode, compared with the frames of a single decoder.
@Suite struct VoiceFeedTests {
  /// Counts the decoders that were opened for one sound.
  private final class Record: Sendable {
    let branches = Atomic<Int>(0)
    let openings = Atomic<Int>(0)
  }

  /// A sound in which each frame contains its number. Its decoders can have faults.
  private final class Numbered: Decoder {
    struct Traits {
      var length = 400_003
      /// The frame at which damage begins, and the sound ends.
      var brokenAt: Int?
      /// The frame at which branches report damage, which the first decoder doesn't find.
      var branchDamageAt: Int?
      /// Whether the first 600 frames of a branch are wrong.
      var hasWrongStart = false
      var canBranch = true
      /// Whether the first decoder waits after 1,000 frames until there is a branch.
      var awaitsBranch = false
    }

    private let traits: Traits
    private let record: Record
    private let start: Int
    private let position: Mutex<Int>

    init(_ traits: Traits, _ record: Record, at start: Int = 0) {
      (self.traits, self.record, self.start) = (traits, record, start)
      position = Mutex(start)
    }

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      let end = min(traits.length, traits.brokenAt ?? .max)
      if traits.awaitsBranch, start == 0, 1_000 <= position.withLock({ $0 }) {
        _ = eventually { 0 < record.branches.load(ordering: .relaxed) }
      }
      let (first, count) = position.withLock { position in
        let count = max(0, min(frames.count, end - position))
        defer { position += count }
        return (position, count)
      }
      for index in 0..<count {
        let isWrong = traits.hasWrongStart && 0 < start && first + index < start + 600
        frames[index] = Frame(left: Float(first + index), right: isWrong ? 1 : 0)
      }
      return count
    }

    var damage: SoundDamage? {
      let reached = position.withLock { $0 }
      let location = [traits.brokenAt, 0 < start ? traits.branchDamageAt : nil].compactMap(\.self).min()
      guard let location, location < traits.length, start <= location, location <= reached else { return nil }
      let error = SourceError.damaged(path: "numbered", atSecond: 0, cause: "the test broke it")
      return SoundDamage(error, atFrame: FrameCount(location - start))
    }

    func entry(from frame: FrameCount) -> FrameCount? { traits.canBranch ? (frame + 99) / 100 * 100 : nil }

    func branch(at frame: FrameCount) -> (any Decoder)? {
      if frame == 0 {
        record.openings.add(1, ordering: .relaxed)
      } else {
        record.branches.add(1, ordering: .relaxed)
      }
      return traits.canBranch ? Numbered(traits, record, at: start + Int(frame)) : nil
    }
  }

  /// The frames that were read, the reported damage, and how many decoders were opened.
  private struct Outcome {
    var frames: [Frame]
    var damage: SoundDamage?
    var branches: Int
    var openings: Int
  }

  /// Decodes a sound, and reads it as a mixer would.
  private func decode(
    _ traits: Numbered.Traits, threads: Int, pieceLength: Int, length: FrameCount = .endless
  ) async throws -> Outcome {
    try await onOwnThread {
      let record = Record()
      let ring = Ring<Frame>(capacity: 65_536)
      var reader = ring.reader
      let dataReady = WakeUp()
      let feed = VoiceFeed(ring: ring.writer, pieceLength: pieceLength, canBranch: 1 < threads)
      let decoders = DecodingThreads(feeds: [feed], threads: threads, wakingAtOnce: false, dataReady: dataReady)
      #expect(decoders.start())
      decoders.begin(try PrimedSound(Numbered(traits, record), priming: 1_000), in: 0, length: length)
      var frames: [Frame] = []
      while true {
        let isClosed = reader.isClosed
        let part = reader.readable(limit: 2_048)
        frames.append(contentsOf: part)
        reader.skip(part.count)
        if part.isEmpty, isClosed || length <= FrameCount(frames.count) { break }
        if part.isEmpty {
          _ = decoders.request()
          dataReady.wait(seconds: 0.05)
        }
        decoders.kick()
      }
      let damage = decoders.damage(in: 0)
      decoders.end(0, within: 10)
      decoders.close()
      return Outcome(
        frames: frames, damage: damage, branches: record.branches.load(ordering: .relaxed),
        openings: record.openings.load(ordering: .relaxed))
    }
  }

  private func numbers(_ count: Int) -> [Frame] { (0..<count).map { Frame(left: Float($0), right: 0) } }

  @Test(arguments: [1, 2, 3, 7], [800, 4_410, 16_384, 1_000_000])
  func `any number of threads delivers the same frames`(threads: Int, pieceLength: Int) async throws {
    let traits = Numbered.Traits(awaitsBranch: 1 < threads)
    let heard = try await decode(traits, threads: threads, pieceLength: pieceLength)
    let isSame = heard.frames == numbers(400_003)
    #expect(isSame && heard.damage == nil)
    #expect((0 < heard.branches) == (1 < threads), "\(heard.branches) branches")
    #expect(heard.openings == 0)
  }

  @Test func `a sound that can only be read from its beginning is never branched`() async throws {
    let heard = try await decode(Numbered.Traits(canBranch: false), threads: 3, pieceLength: 4_096)
    let isSame = heard.frames == numbers(400_003)
    #expect(isSame && heard.branches == 0)
  }

  @Test func `a branch that differs from the piece before it is not used`() async throws {
    let heard = try await decode(
      Numbered.Traits(hasWrongStart: true, awaitsBranch: true), threads: 3, pieceLength: 4_096)
    let isSame = heard.frames == numbers(400_003)
    #expect(isSame && 0 < heard.branches)
  }

  @Test(arguments: [900, 1_200, 40_000, 200_000, 399_999], [1, 2, 5])
  func `damage is found at its frame, by any number of threads`(location: Int, threads: Int) async throws {
    let heard = try await decode(Numbered.Traits(brokenAt: location), threads: threads, pieceLength: 4_096)
    let isSame = heard.frames == numbers(location)
    #expect(isSame && heard.damage?.frame == FrameCount(location))
  }

  @Test(arguments: [1_500, 100_000, 250_000])
  func `damage that only a branch finds is not reported`(location: Int) async throws {
    let heard = try await decode(Numbered.Traits(branchDamageAt: location), threads: 3, pieceLength: 4_096)
    let isSame = heard.frames == numbers(400_003)
    #expect(isSame && heard.damage == nil)
  }

  @Test(arguments: [1, 4])
  func `no more is decoded than the voice plays`(threads: Int) async throws {
    let heard = try await decode(Numbered.Traits(), threads: threads, pieceLength: 4_096, length: 100_001)
    let isSame = heard.frames == numbers(100_001)
    #expect(isSame)
  }

  @Test func `the processors that a process may use are counted`() {
    #expect(Processors.allowed(in: "Name:\tx\nCpus_allowed:\tff,0000000f\nCpus_allowed_list:\t0-3\n") == 12)
    #expect(0 < Processors.available)
  }

  @Test(arguments: [(-1, 1), (0, 1), (1, 1), (64, 64), (65, 64), (896, 64)])
  func `the number of jobs is limited, however many processors there are`(jobs: Int, limited: Int) {
    var options = RenderOptions()
    options.jobs = jobs
    #expect(options.jobs == limited)
  }
}
