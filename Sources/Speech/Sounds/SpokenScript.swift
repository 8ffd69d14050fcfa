package import Signal

/// A spoken text of which every sentence is in the cache.
struct SpokenScript: Sendable {
  enum Part: Sendable {
    case sentence(String, StoredSentence)
    /// Silence in seconds.
    case pause(Double)
  }

  let parts: [Part]
  let engine: any SpeechEngine
}

/// When each part of a spoken text sounds, at the rate of a session.
package struct SpokenLayout: Sendable {
  /// A sentence, or a piece of a very long one, and its frames.
  package struct Sentence: Hashable, Sendable {
    /// What is spoken, on one line.
    package let text: String
    /// Its frames, from the first audible one to the last one, counted from the beginning of the text.
    package let frames: Range<FrameTime>
  }

  struct Part: Sendable {
    /// The number of the sentence in `sentences`; nil for a pause.
    let sentence: Int?
    /// The frame after the last one.
    let end: FrameTime
  }

  /// The sentences in their order.
  package private(set) var sentences: [Sentence] = []
  /// The parts in their order, which follow each other without a gap.
  private(set) var parts: [Part] = []
  /// The frames of the whole text.
  package var length: FrameCount { parts.last?.end ?? 0 }

  init(_ script: SpokenScript, at rate: SampleRate) {
    for part in script.parts {
      let start = length
      switch part {
      case .pause(let seconds): parts.append(Part(sentence: nil, end: start + rate.frames(seconds)))
      case .sentence(let text, let stored):
        let end = start + stored.length(at: rate)
        parts.append(Part(sentence: sentences.count, end: end))
        sentences.append(Sentence(text: text, frames: start..<end))
      }
    }
  }

  /// The number of the part that has a frame; the number of parts for a frame after the end.
  func part(at frame: FrameTime) -> Int {
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].end <= frame { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
