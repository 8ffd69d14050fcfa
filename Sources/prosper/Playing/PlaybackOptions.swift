/// All options for playing a session, which `play` and `sit` share.
///
/// The commands contain the four groups side by side. Were one group inside another, a debug build of the argument
/// parser would check the inner one several times for each check of the outer one.
struct PlaybackOptions {
  var session: PlayOptions
  var output: OutputOptions
  var form: FileOptions
  var desktop: DesktopOptions

  var chosenOutput: ChosenOutput { ChosenOutput(options: output, form: form) }

  /// Whether sounds may start to play while they are downloaded. False for a start in the middle of the session, which
  /// needs a later part of a sound immediately, and for `--resume`, which compares complete files.
  var playsWhileDownloading: Bool {
    output.isLive && !session.resume && session.from == nil && session.stage == nil
  }

  /// Whether no option selects an output or changes the sound, so that they can be combined with writing a session.
  var areForFiles: Bool { output.choices == [.pulse(sink: nil)] && session.volume == nil && session.leadIn == nil }

  /// Strict by default for renders, lenient for live outputs.
  var isStrict: Bool { session.strict || (!session.lenient && !output.isLive) }
}
