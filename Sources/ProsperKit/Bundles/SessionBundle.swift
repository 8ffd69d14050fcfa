import AudioFiles
import Engine
import Files
import Markup
import Schedule
import SessionFiles
import Signal
package import Sounds
import Timelines

/// A session as a folder with all that it needs, which plays on any computer: the session as one file, its sounds, its
/// cover, its captions, and a list of who made the sounds.
///
/// Parameters and includes are filled in. A text that the session speaks becomes a sound file at the rate of the
/// session, with the samples that are played, so that neither engine nor voice is needed.
package struct SessionBundle {
  /// Why a bundle can't be made. Each description is one sentence with a remedy.
  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// There is something at the path besides an empty folder.
    case notEmpty(path: String)
    /// A file of the bundle can't be created or written.
    case output(SinkError)
    /// A file of the session can't be read.
    case input(SourceError)

    package var description: String {
      switch self {
      case .notEmpty(let path): "\(path): already exists, and is not an empty folder; choose another name"
      case .output(let error): error.description
      case .input(let error): String(describing: error)
      }
    }
  }

  static let soundsFolder = "sounds"
  private static let captionsFile = "captions.vtt"
  /// The name of the session file in the folder.
  package static let sessionFile = "session.yaml"

  private let plan: SessionPlan
  private let session: Session
  private let timeline: Timelines.Timeline
  private var names = BundleNames()
  private var items: [BundleItem] = []
  /// The index of each sound in `items`.
  private var indices: [SoundSource.Origin: Int] = [:]
  /// The same for each file, by its path without symbolic links.
  private var copies: [String: Int] = [:]

  /// Nil if the session can't be played.
  package init?(_ plan: SessionPlan) {
    guard let session = plan.session, let timeline = plan.timeline else { return nil }
    (self.plan, self.session, self.timeline) = (plan, session, timeline)
    let named = session.named.sorted { $0.key < $1.key }.map(\.value)
    for sound in plan.sounds + named { add(sound.source) }
  }

  /// The title of the session.
  package var title: String { session.title }

  private mutating func add(_ source: SoundSource) {
    let origin = source.origin
    guard indices[origin] == nil else { return }
    switch origin {
    case .generated: return
    case .spoken(let spoken):
      indices[origin] = items.count
      items.append(
        BundleItem(name: soundName(names.name(for: spoken.label, suffix: "wav")), content: .speech(spoken)))
    case .file, .remote:
      guard let path = plan.library.path(of: source) else { return }
      let identity = FilePath.resolved(path) ?? path
      if let index = copies[identity] {
        indices[origin] = index
        return
      }
      (indices[origin], copies[identity]) = (items.count, items.count)
      var item = BundleItem(name: soundName(names.name(for: Self.name(of: origin, path))), content: .file(path))
      if case .remote(let address) = origin { item.address = SoundSource.withoutCredentials(address) }
      items.append(item)
    }
  }

  private func soundName(_ name: String) -> String { "\(Self.soundsFolder)/\(name)" }

  /// The name of a sound's file; for a download, that in its address.
  private static func name(of origin: SoundSource.Origin, _ path: String) -> String {
    guard case .remote(let address) = origin else { return String(FilePath.parts(of: path).last ?? "") }
    let place = address.prefix { !"?#".contains($0) }.drop { $0 != ":" }.dropFirst(3)
    return String(place.split(separator: "/").dropFirst().last ?? "")
  }

  /// Writes the folder, which appears when it is complete. Blocks.
  ///
  /// - Parameters:
  ///   - path: the folder, which does not exist or is empty.
  ///   - progress: called with the part that is done, 0 to 1, on the calling thread.
  package func write(to path: String, progress: @escaping (Double) -> Void = { _ in }) throws(Failure) {
    let folder = try BundleFolder(for: path)
    let sizes = try items.map { (item) throws(Failure) in try size(of: item) }
    let (whole, done) = (Double(max(1, sizes.reduce(0, +))), Count())
    let note = { (bytes: Int) in
      done.bytes += bytes
      progress(Double(done.bytes) / whole)
    }
    for item in items {
      switch item.content {
      case .file(let source): try folder.copy(source, as: item.name, progress: note)
      case .speech(let spoken):
        let speech = BundledSpeech(spoken, library: plan.library, rate: timeline.rate)
        try speech.write(to: folder.unfinished(item.name), knownAs: "\(folder.path)/\(item.name)", progress: note)
      }
    }
    let cover = try session.cover.map { (path) throws(Failure) in try copy(cover: path, into: folder) }
    try folder.write(text(in: folder, cover: cover), as: Self.sessionFile)
    try folder.write(credits, as: "CREDITS.txt")
    if timeline.end != nil, !speech.isEmpty { try folder.write(captions, as: Self.captionsFile) }
    try folder.publish()
  }

  /// The bytes that have been written.
  private final class Count { var bytes = 0 }

  private var speech: [BundleItem] { items.filter { if case .speech = $0.content { true } else { false } } }

  private func copy(cover path: String, into folder: BundleFolder) throws(Failure) -> String {
    let ending = (try? CoverPicture(ofFile: path))?.format.rawValue ?? "jpg"
    try folder.copy(path, as: "cover.\(ending)") { _ in }
    return "cover.\(ending)"
  }

  /// The bytes that an item takes, approximately for a text.
  private func size(of item: BundleItem) throws(Failure) -> Int {
    switch item.content {
    case .file(let path): return BundleFolder.size(of: path)
    case .speech(let spoken):
      do throws(SourceError) {
        let frames = try plan.library.probe(SoundSource(.spoken(spoken)), at: timeline.rate).length
        return 4 * Int(frames)
      } catch { throw .input(error) }
    }
  }

  // MARK: Texts

  /// The session file.
  private func text(in folder: BundleFolder, cover: String?) -> String {
    var session = session.mappingSounds { sound, layer in
      guard let index = indices[sound.source.origin] else { return }
      let name = items[index].name
      if case .spoken = sound.source.origin {
        if let layer { keepLevel(of: &sound, in: layer, file: folder.unfinished(name)) }
        sound.source.origin = .file(path: "\(folder.path)/\(name)")
      } else {
        // A title of its own would hide the one in the tags of a file.
        let hasOwnTitle = sound.title != shown(sound.source.label)
        sound.source.origin = .file(path: "\(folder.path)/\(name)")
        if !hasOwnTitle { sound.title = shown(sound.source.label) }
      }
    }
    session.cover = cover.map { "\(folder.path)/\($0)" }
    // The rate does not depend on the sounds any more: speech has none, its file has that of the session.
    session.sampleRate = timeline.rate
    var writer = SessionWriter(.yaml, in: folder.path)
    writer.header = ["A copy of a session, with its sounds. CREDITS.txt says where they come from."]
    return writer.text(of: session)
  }

  /// Gives a spoken text the gain that levels it in the session. Its file has another rate than that at which speech is
  /// measured, and with it a slightly different loudness.
  private func keepLevel(of sound: inout Session.Sound, in layer: Layer, file: String) {
    guard timeline.rate != .studio, let target = session.target(of: sound, in: layer),
      let loudness = plan.loudness[sound.source]?[layer], loudness.isFinite
    else { return }
    var source = sound.source
    source.origin = .file(path: file)
    guard let measured = LoudnessSurvey.measured(source, in: plan.library)?[layer], measured.isFinite else { return }
    sound.loudness = .lufs(target + (measured - loudness))
  }

  private var captions: String {
    let text = Text()
    TimelineReport.captions(.vtt).write(timeline) { text.text += $0 }
    return text.text
  }

  private final class Text { var text = "" }

  private var credits: String {
    let list = items.map { BundleCredits(item: $0, speech: plan.library.speech).text }
    return "\(shown(session.title, upTo: 400))\n\n"
      + (list.isEmpty ? "All sounds are made by prosper.\n" : list.joined(separator: "\n"))
  }
}

/// A sound in a bundle.
struct BundleItem {
  enum Content {
    /// A copy of the file at a path.
    case file(String)
    case speech(Spoken)
  }

  /// The path in the folder.
  var name: String
  var content: Content
  /// The address of a download, without credentials.
  var address: String?
}

extension Session {
  /// The session with each use of a sound changed, and each sound that has a name.
  ///
  /// - Parameter change: gets the sound and the layer in which it plays; no layer for one that has a name.
  func mappingSounds(_ change: (inout Sound, Layer?) -> Void) -> Session {
    var session = self
    for index in session.stages.indices {
      for track in session.stages[index].tracks.indices { change(&session.stages[index].tracks[track], .music) }
      for cue in session.stages[index].overlays.indices { session.stages[index].overlays[cue].changeSounds(change) }
      for cue in session.stages[index].gongs.indices { change(&session.stages[index].gongs[cue].sound, .effect) }
    }
    for cue in session.overlays.indices { session.overlays[cue].changeSounds(change) }
    for cue in session.gongs.indices { change(&session.gongs[cue].sound, .effect) }
    for name in session.named.keys.sorted() {
      guard var sound = session.named[name] else { continue }
      change(&sound, nil)
      session.named[name] = sound
    }
    return session
  }
}

extension Session.Overlay {
  fileprivate mutating func changeSounds(_ change: (inout Session.Sound, Layer?) -> Void) {
    change(&sound, .overlay)
    for index in following.indices { change(&following[index], .overlay) }
  }
}
