import Engine
import Files
import Signal
import Sounds
import Timelines

/// One of two sounds that are compared: a sound file, or a session that is rendered.
package struct ComparedSound: Sendable {
  private enum Content: Sendable {
    case file(String, rate: SampleRate, channels: Int)
    case session(SessionPlan)
  }

  private var content: Content
  /// As the user gave it.
  package let name: String

  /// A sound file. Waits for the disk.
  package init(ofFile path: String, named name: String) throws(MeasuringError) {
    self.name = name
    let source = SoundSource(.file(path: path))
    do throws(SourceError) {
      let facts = try Sounds().probe(source, at: .studio)
      let rate = facts.rate.flatMap(SampleRate.init(hertz:)) ?? .studio
      content = .file(path, rate: rate, channels: facts.channels)
    } catch { throw .sound(error) }
  }

  /// A session that can be played.
  package init(of plan: SessionPlan, named name: String) { (content, self.name) = (.session(plan), name) }

  package var isSession: Bool { if case .session = content { true } else { false } }

  /// The stages of a session, and the second at which each begins; none for a sound file.
  package var stages: [(name: String, begin: Double)] {
    guard case .session(let plan) = content, let timeline = plan.timeline else { return [] }
    return timeline.stages.map { ($0.name, timeline.rate.seconds($0.begin)) }
  }

  /// Whether it is a sound file with one channel.
  var isMono: Bool { if case .file(_, _, let channels) = content { channels == 1 } else { false } }

  /// The rate at which a sound file is decoded, or a session is laid out.
  var rate: SampleRate {
    switch content {
    case .file(_, let rate, _): rate
    case .session(let plan): plan.layout?.rate ?? .studio
    }
  }

  /// The length in frames at a rate; nil if it is not known. Waits for the disk.
  func length(at rate: SampleRate) -> FrameCount? {
    switch content {
    case .file(let path, _, _): try? Sounds().probe(SoundSource(.file(path: path)), at: rate).length
    case .session(let plan): plan.layout?.end
    }
  }

  /// The sound at another rate: a file is converted, a session is laid out again. Waits for the disk.
  func at(_ rate: SampleRate) throws(MeasuringError) -> ComparedSound {
    if self.rate == rate { return self }
    var sound = self
    switch content {
    case .file(let path, _, let channels): sound.content = .file(path, rate: rate, channels: channels)
    case .session(var plan):
      do throws(TimelineFailure) { try plan.setRate(rate) } catch { throw .unplayable }
      sound.content = .session(plan)
    }
    return sound
  }

  /// Opens the file, or begins to render the session.
  func stream() throws(MeasuringError) -> any SoundStream {
    switch content {
    case .file(let path, let rate, _): try FileStream(path, at: rate)
    case .session(let plan): try SessionStream(plan)
    }
  }

  /// The files that are read.
  package var inputs: [String] {
    switch content {
    case .file(let path, _, _): [path]
    case .session(let plan): plan.inputs
    }
  }
}

extension SessionPlan {
  /// The name of the open stage because of which the session has no end; nil if it has one.
  package var endlessStage: String? {
    guard let programme else { return nil }
    return PlaybackSetup(programme: programme, library: library, output: .null(isRealTime: false)).endlessStage
  }
}
