import Markup
import Signal
import Sounds

/// Reads the meaning of a session file from its markup.
///
/// It continues after every problem, so that one run reports them all. A value that can't be read is replaced by a
/// placeholder; a file with any error yields no session, so no placeholder is ever played.
struct SessionParser {
  private let sounds: SoundReader
  private let folder: String
  private var problems: Problems { sounds.problems }

  /// The keys of a session, in the order in which error messages list them.
  static let keys = [
    "$schema", "prosper", "title", "description", "date", "sampleRate", "volume", "crossfade", "fadeIn", "fadeOut",
    "loudness", "sounds", "stages", "overlays", "gongs", "artist", "album", "genre", "comment", "language", "cover",
    "parameters", "include",
  ]

  init(catalogue: [GeneratorDescription], folder: String, home: String?, _ problems: Problems) {
    sounds = SoundReader(catalogue: catalogue, folder: folder, home: home, problems)
    self.folder = folder
  }

  /// Reads a session.
  ///
  /// - Returns: nil if the file is not a group of keys. If any error was reported, the result contains placeholders and
  ///   must be discarded.
  func session(_ root: Node) -> Session? {
    guard
      let fields = Fields(
        root, "the session", keys: Self.keys, required: ["prosper", "title", "stages"], problems)
    else { return nil }
    Self.checkVersion(fields["prosper"], problems)
    _ = fields["$schema"]?.text
    let language = fields["language"]?.language
    sounds.speak(language)
    // Before the stages, which refer to the sounds by name.
    let named = sounds.define(fields["sounds"])
    let crossfade = StageReader.crossfade(
      fields["crossfade"], default: Session.Crossfade(duration: 0, curve: .equalPower))
    let cues = CueReader(sounds)
    var session = Session(
      path: root.location.file, title: fields["title"]?.name ?? "", description: fields["description"]?.text,
      sampleRate: fields["sampleRate"]?.wholeNumber(in: SampleRate.range).flatMap { SampleRate(hertz: $0) },
      volume: fields["volume"]?.volume() ?? .unity, fadeIn: fields["fadeIn"]?.fade ?? 0,
      fadeOut: fields["fadeOut"]?.duration ?? 0,
      stages: StageReader(sounds).stages(fields["stages"], crossfade: crossfade),
      overlays: cues.overlays(fields["overlays"]), gongs: cues.gongs(fields["gongs"]))
    session.date = date(fields["date"])
    session.loudness = fields["loudness"]?.layerLoudness ?? [:]
    readTags(of: &session, fields)
    session.language = language
    session.sampleRateLocation = fields["sampleRate"]?.location
    (session.named, session.folder) = (named, folder)
    session.fadeOutLocation = fields["fadeOut"] == nil ? nil : fields.location(of: "fadeOut")
    sounds.warnOfUnused(fields["sounds"])
    checkFades(session, fields)
    // Last, because it needs every stage and cue.
    var spans = SpanChecks(session, problems)
    spans.check()
    return session
  }

  /// Reports any format version other than 1.
  static func checkVersion(_ value: Value?, _ problems: Problems) {
    guard let value else { return }
    if case .word(let word) = value.node.content, Node.isNumber(word) {
      if Double(word) == 1 { return }
      problems.report(
        .unsupportedVersion, value.location, "format version \(value.node.found) is not supported",
        fix: "write 1, or update prosper")
    } else {
      problems.report(
        .unsupportedVersion, value.location, "'prosper' is \(value.node.found), not a format version number",
        fix: "write 1, without quotes")
    }
  }

  /// A year, a month or a day, as `2026`, `2026-03` or `2026-03-01`.
  private func date(_ value: Value?) -> String? {
    guard let value else { return nil }
    if let text = value.node.plainText, DateSpelling.isDate(text) { return text }
    return value.refused(fix: "write a day as \"2026-03-01\", or a month or year alone")
  }

  /// Reads what only the tags of output files say.
  private func readTags(of session: inout Session, _ fields: Fields) {
    (session.artist, session.album, session.genre) = (
      fields["artist"]?.name, fields["album"]?.name, fields["genre"]?.name
    )
    session.comment = fields["comment"]?.text
    session.cover = fields["cover"].flatMap(sounds.picture)
    session.coverLocation = fields["cover"]?.location
  }

  /// Reports a fade-in that is longer than the first stage, and a fade-out that is longer than the last one. Warns of
  /// fades that overlap.
  ///
  /// Only stages with a duration are checked here; `StageChecks` checks the others once their tracks are probed.
  private func checkFades(_ session: Session, _ fields: Fields) {
    guard let first = session.stages.first, let last = session.stages.last else { return }
    let fadeOut = "'fadeOut' is \(TimeSpelling.text(session.fadeOut))"
    switch last.duration {
    case .open where Session.Limit.fade < session.fadeOut:
      problems.report(
        .fadeTooLong, fields.location(of: "fadeOut"), "\(fadeOut), above the limit of 60 s for an open last stage",
        fix: "write 60s or less")
    case .seconds(let length) where length < session.fadeOut:
      return problems.report(
        .fadeTooLong, fields.location(of: "fadeOut"),
        "\(fadeOut), but the last stage in \(last.location.named(at: fields.location)) lasts only "
          + TimeSpelling.text(length),
        fix: "shorten the fade")
    default: break
    }
    guard case .seconds(let length) = first.duration else { return }
    let fades = session.fadeIn + (session.stages.count == 1 ? session.fadeOut : 0)
    guard length < fades else { return }
    let (location, end) = (
      fields.location(of: "fadeIn"),
      "but the stage in \(first.location.named(at: fields.location)) lasts only \(TimeSpelling.text(length))"
    )
    if length < session.fadeIn {
      problems.report(
        .fadeTooLong, location, "'fadeIn' is \(TimeSpelling.text(session.fadeIn)), \(end)", fix: "shorten the fade")
    } else {
      problems.warn(
        .fadeTooLong, location, "the fades take \(TimeSpelling.text(fades)), \(end)", fix: "shorten the fades")
    }
  }
}
