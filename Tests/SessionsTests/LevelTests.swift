import Player
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import SessionFiles
@testable import Timelines

/// What levels the sounds of a session, and the warnings about their levels.
struct LevelTests {
  private static let library = DeclaredSounds(
    seconds: ["bed.wav": 600, "memo.wav": 10, "voice.wav": 20, "bell.wav": 3, "rain": .infinity])
  private static let loudness = [
    "bed.wav": -20.0, "memo.wav": -41, "voice.wav": -22, "bell.wav": -18, "faint.wav": -70, "loud.wav": 10,
  ].mapValues { SoundLoudness(integrated: $0, momentary: $0 + 5) }

  /// The session with its gains, the warnings about them, and those of `check`.
  private static func levelled(_ text: String) throws -> (session: Session, gains: [String], checks: [String]) {
    let read = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
    let measured = Dictionary(
      read.sounds.compactMap { sound in loudness[sound.source.label].map { (sound.source, $0) } }
    ) { first, _ in first }
    let (session, warnings) = read.levelled(by: measured)
    guard let timeline = try? Timeline.compile(session, library: library).timeline else {
      return (session, warnings.map(\.description), [])
    }
    return (
      session, warnings.map(\.description), LevelChecks(timeline, of: session, measured).warnings.map(\.description)
    )
  }

  @Test func `a layer's loudness levels its sounds, a sound's own comes first, and volumes come on top`() throws {
    let (session, warnings, _) = try Self.levelled(
      """
      prosper: 1
      title: t
      loudness: {music: -30, overlays: -20, gongs: -26}
      sounds:
        memo: {file: memo.wav, loudness: -24}
      stages:
        - name: A
          duration: 10m
          tracks: [bed.wav, {file: bed.wav, loudness: "off"}, {file: bed.wav, volume: -6dB}]
          overlays:
            - {sound: voice.wav, at: start}
            - {sound: memo, at: 1m}
            - {sound: memo, at: 2m, loudness: -21}
          gongs: [{sound: bell.wav, at: start, volume: 0.5}]
      """)
    #expect(warnings.isEmpty)
    let stage = session.stages[0]
    let gains = stage.tracks.map { $0.gain(in: .music) } + stage.overlays.map { $0.sound.gain(in: .overlay) }
    let expected: [Double] = [-10, 0, -16, 2, 17, 20]
    for (gain, decibels) in zip(gains, expected) { #expect(abs(gain.decibels - decibels) < 0.001) }
    // A gong is levelled at its loudest moment: -26 from -13, and 6.02 dB for its volume.
    #expect(abs(stage.gongs[0].sound.gain(in: .effect).decibels + 19.0206) < 0.001)
    #expect(abs((session.named["memo"]?.gain(in: .overlay).decibels ?? 0) - 17) < 0.001)
    let programme = try Timeline.compile(session, library: Self.library).timeline.programme
    #expect(programme.stages[0].playlist.tracks.map(\.gain) == Array(gains[..<3]))
  }

  @Test func `the gain of a sound is limited to 40 dB, which is told`() throws {
    let (session, warnings, _) = try Self.levelled(
      """
      prosper: 1
      title: t
      loudness: {overlays: -20}
      stages:
        - {name: A, duration: 1m, overlays: [{sound: faint.wav, at: 0}, {sound: {file: loud.wav, loudness: -60}, at: 9}]}
      """)
    #expect(session.stages[0].overlays.map { $0.sound.gain(in: .overlay) } == [40, -40].map { Gain(decibels: $0) })
    #expect(
      warnings == [
        "s.yaml:5:48: warning: 'faint.wav' has -70.0 LUFS and would need a gain of +50.0 dB; it gets +40.0 dB, the "
          + "limit; choose another loudness, or raise the level of the file",
        "s.yaml:5:75: warning: 'loud.wav' has 10.0 LUFS and would need a gain of -70.0 dB; it gets -40.0 dB, the limit; "
          + "choose another loudness, or reduce the level of the file",
      ])
  }

  @Test func `overlays of different loudness, and one that the music covers, are warned of`() throws {
    let text = """
      prosper: 1
      title: t
      stages:
        - name: A
          duration: 10m
          tracks: [{file: bed.wav, volume: -10dB}]
          overlays:
            - {sound: voice.wav, at: start}
            - {sound: memo.wav, at: 1m, duck: {by: -9dB}}
      """
    #expect(
      try Self.levelled(text).checks == [
        "s.yaml:9:17: warning: the overlay 'memo.wav' plays at -41.0 LUFS, 19.0 LU softer than 'voice.wav' in line 8; "
          + #"give the session "loudness": {"overlays": -20}"#,
        "s.yaml:9:9: warning: the overlay 'memo.wav' plays at -41.0 LUFS over the music 'bed.wav' at -39.0 LUFS; "
          + #"lower the music with a larger "duck", or give both a "loudness""#,
      ])
    let levelled = text.replacing("stages:", with: "loudness: {overlays: -20}\nstages:")
    #expect(try Self.levelled(levelled).checks == [])
    let twice = text.replacing(
      "{sound: memo.wav, at: 1m, duck: {by: -9dB}}", with: "{sound: voice.wav, at: 1m, volume: -30dB}")
    #expect(try Self.levelled(twice).checks.first?.hasSuffix("give both the same \"volume\"") == true)
    let unequal = twice.replacing("volume: -30dB", with: "loudness: -50")
    #expect(try Self.levelled(unequal).checks.first?.hasSuffix("give both the same \"loudness\"") == true)
    // What the file already has is not advised.
    let own = text.replacing("stages:", with: "loudness: {overlays: -20, music: -25}\nstages:")
      .replacing(
        "{sound: memo.wav, at: 1m, duck: {by: -9dB}}", with: "{sound: {file: memo.wav, loudness: 'off'}, at: 1m}")
    let fixes = try Self.levelled(own).checks.compactMap { $0.split(separator: "; ").last.map(String.init) }
    #expect(
      fixes == [
        #"remove the "loudness" of 'memo.wav' itself"#,
        #"lower the music with a "duck", or give the overlay no "loudness" of its own"#,
      ])
    let quiet = text.replacing("stages:", with: "loudness: {overlays: -20, music: -30}\nstages:")
      .replacing("at: 1m, duck", with: "volume: -12dB, at: 1m, duck")
    #expect(try Self.levelled(quiet).checks.map { $0.hasSuffix("give both the same \"volume\"") } == [true])
    // The larger duck is enough for the second one, but not against the difference.
    #expect(try Self.levelled(text.replacing("-9dB", with: "-20dB")).checks.count == 1)
  }

  @Test func `a very soft sound is warned of, unless it is levelled`() throws {
    let text = "prosper: 1\ntitle: t\nstages: [{name: A, duration: 1m, tracks: [{file: memo.wav, volume: -40dB}]}]"
    #expect(try Self.levelled(text).checks == [])
    let library = ["s": SoundLoudness(integrated: -51, momentary: -45)]
    let session = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
    let timeline = try Timeline.compile(session, library: Self.library).timeline
    let measured = [session.stages[0].tracks[0].source: try #require(library["s"])]
    #expect(
      LevelChecks(timeline, of: session, measured).warnings.map(\.description) == [
        "s.yaml:3:43: warning: 'memo.wav' is very soft, at -51.0 LUFS; give it a \"loudness\", such as -20, or record it "
          + "louder"
      ])
    var louder = session
    louder.loudness[.music] = -30
    #expect(LevelChecks(timeline, of: louder.levelled(by: measured).session, measured).warnings.isEmpty)
  }

  @Test func `a command can play a levelled sound by its name, and no other sound with a loudness`() throws {
    let session = try Self.levelled(
      """
      prosper: 1
      title: t
      sounds: {memo: {file: memo.wav, loudness: -20}}
      stages: [{name: A, duration: 1m, overlays: [{sound: memo, at: 0}]}]
      """
    ).session
    let commands = CommandReader(scope: CommandScope(of: session), catalogue: catalogue)
    let command = commands.command(#"{"do":"overlay","op":"play","sound":"memo"}"#).command
    guard case .overlay(.play(let request)) = try #require(command) else {
      Issue.record("it is another command")
      return
    }
    #expect(abs(request.cue.gain.decibels - 21) < 0.001)
    let refused = commands.command(#"{"do":"gong","sound":{"file":"/bell.wav","loudness":-20}}"#)
    #expect(refused.command == nil)
  }
}
