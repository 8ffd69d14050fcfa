import Rings
import Signal

@testable import Engine

/// The feed of one voice, for which the test decodes on its own thread.
struct HandFeed {
  private let decoders: DecodingThreads

  init(_ ring: consuming sending RingWriter<Frame>, holding held: Int = 0) {
    let feed = VoiceFeed(ring: ring, holding: held, pieceLength: 4_096, canBranch: false)
    decoders = DecodingThreads(feeds: [feed], threads: 0, wakingAtOnce: true, dataReady: WakeUp())
  }

  func begin(_ sound: PrimedSound) { decoders.begin(sound, in: 0, length: .endless) }

  /// Decodes until the ring is full.
  func fill() { _ = decoders.decodeAll(on: 0) }

  /// Returns whether the slot can be used again.
  func end() -> Bool { decoders.endAtOnce(0) }
}
