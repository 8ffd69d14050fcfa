package import Schedule
package import Signal

/// At 8,000 Hz, the lowest rate, the limiter's look-ahead is 40 frames.
package let testRate = SampleRate(hertz: 8_000) ?? .studio

package func track(_ name: String, _ length: FrameCount, gain: Gain = .unity) -> Track {
  Track(source: TestLibrary.source(name), title: name, gain: gain, length: length)
}

package func programme(_ stages: [Programme.Stage], fadeIn: FrameCount = 0, fadeOut: FrameCount = 0) -> Programme {
  var programme = Programme(title: "test", rate: testRate, master: .unity, stages: stages)
  (programme.fadeIn, programme.fadeOut) = (fadeIn, fadeOut)
  return programme
}

extension Programme.Stage {
  /// - Parameters:
  ///   - crossfade: The crossfade into the stage and between its tracks.
  package init(
    _ name: String, _ tracks: [Track], for duration: Programme.StageDuration = .natural, repetition: RepeatMode = .off,
    repeatCount: Int? = nil, crossfade: FadeShape = .none, overlays: [Programme.Overlay] = [],
    gongs: [Programme.Gong] = []
  ) {
    let playlist = PlaylistManager(tracks, repetition: repetition, repeatCount: repeatCount)
    self.init(name: name, duration: duration, playlist: playlist)
    (self.crossfade, self.overlays, self.gongs) = (crossfade, overlays, gongs)
  }
}

extension Programme.Sound {
  package init(_ name: String, _ length: FrameCount) {
    self.init(source: TestLibrary.source(name), title: name, length: length)
  }
}

extension Programme.Gong {
  /// One strike at each frame, counted from the beginning of its stage or of the session.
  package init(_ name: String, _ length: FrameCount, at frames: Double...) {
    self.init(sound: Programme.Sound(name, length), .at(frames.map(Programme.Position.afterStart)))
  }
}

extension Programme.Overlay {
  /// Without fades, at a frame counted from the beginning of its stage or of the session.
  package init(_ name: String, _ length: FrameCount, at frame: Double, ducking duck: Duck? = nil) {
    self.init(sound: Programme.Sound(name, length), at: [.afterStart(frame)])
    self.duck = duck
  }
}

extension Cue {
  /// A cue as a command names it.
  package init(_ name: String) { self.init(source: TestLibrary.source(name), title: name, gain: .unity) }
}
