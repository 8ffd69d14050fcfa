import Signal
import Sounds

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
struct SpokenLayout: Sendable {
  struct Part: Sendable {
    /// The number of the sentence in `sentences`; nil for a pause.
    let sentence: Int?
    /// The frame after the last one.
    let end: FrameTime
  }

  /// The sentences, or the pieces of very long ones, in their order.
  private(set) var sentences: [Caption] = []
  /// The parts in their order, which follow each other without a gap.
  private(set) var parts: [Part] = []
  /// The frames of the whole text.
  var length: FrameCount { parts.last?.end ?? 0 }

  init(_ script: SpokenScript, at rate: SampleRate) {
    for part in script.parts {
      let start = length
      switch part {
      case .pause(let seconds): parts.append(Part(sentence: nil, end: start + rate.frames(seconds)))
      case .sentence(let text, let stored):
        let end = start + stored.length(at: rate)
        parts.append(Part(sentence: sentences.count, end: end))
        sentences.append(Caption(text: text, begin: start, end: end))
      }
    }
  }

  /// What is said in a part of the text, counted from its first frame. A sentence that has begun before is left out.
  func captions(in frames: Range<FrameTime>) -> [Caption] {
    let first = sentences.partitionPoint { frames.lowerBound <= $0.begin }
    return sentences[first...].prefix { $0.begin < frames.upperBound }.map { sentence in
      Caption(
        text: sentence.text, begin: sentence.begin - frames.lowerBound,
        end: min(sentence.end, frames.upperBound) - frames.lowerBound)
    }
  }

  /// The number of the part that has a frame; the number of parts for a frame after the end.
  func part(at frame: FrameTime) -> Int {
    parts.partitionPoint { frame < $0.end }
  }
}
