import ArgumentParser
import ProsperKit

/// `prosper play`: plays a session on the sound server, or renders it to a file, a pipe or stdout.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays a session, or renders it to a file.",
    usage: """
      prosper play SESSION
      prosper play SESSION --output sit.flac
      prosper play SESSION --stage Practice --volume -6dB
      prosper play SESSION --output null:fast --script SCRIPT
      """,
    discussion: """
      Ctrl-C fades out and ends; a second Ctrl-C ends at once. A file output is then complete up to that point.

      On a terminal, keys control the session: space pauses and resumes, n and p go to the next and previous track, \
      s to the next stage, arrows seek and change the volume, g strikes a gong, o pauses the overlays, e extends the stage, q fades out \
      and ends, ? lists the keys. Media keys control it, too, if there is a desktop. From another terminal or program \
      use 'prosper ctl'.

      Sounds from the network are downloaded first, into $XDG_CACHE_HOME/prosper/sounds (or ~/.cache/prosper/sounds), \
      and later play from there without a network. In live playback, WAV, AIFF, CAF and FLAC files start to play \
      while they are downloaded, if the download is fast enough.

      During live playback the computer does not suspend when idle, if logind is available. If it is suspended \
      anyway, the session pauses first and resumes after wake-up.

      A script contains commands with times, and expectations about their effects; prosper-script(5) describes it. If \
      an expectation fails, the exit code is 1.
      """)

  @Argument(
    help: """
      The session: a file, JSON or YAML, a name of 'prosper sessions', or - for stdin. Without one, --resume takes the \
      last unfinished session.
      """, completion: .session, transform: SessionLibrary.file)
  var session: String?

  @Option(
    help: ArgumentHelp(
      "Stretches or shortens the session to this length. Stages keep their shares, sounds keep their lengths, and gongs "
        + "may sound beyond the end.",
      valueName: "duration"))
  var duration: String?

  @OptionGroup var parameters: SettingOptions

  @Flag(
    help: """
      Reads the session file, and those that it includes, again whenever one of them changes, as the command 'reload' does. If the session can't be played then, \
      its first problem is printed, and the session goes on unchanged.
      """)
  var watch = false

  @OptionGroup var output: OutputOptions

  @OptionGroup var form: FileOptions

  @OptionGroup var desktop: DesktopOptions

  @OptionGroup var playing: PlayOptions

  var options: PlaybackOptions { PlaybackOptions(session: playing, output: output, form: form, desktop: desktop) }

  func validate() throws {
    try form.check(output.choices)
    if let session, SessionFile.isStream(session), playing.resume {
      throw ValidationError("no position is saved for a session on stdin or in a pipe; save it as a file to resume it")
    }
    if let session, SessionFile.isStream(session), watch {
      throw ValidationError("a session on stdin or in a pipe can't be watched; save it as a file")
    }
    if session == nil, !playing.resume { throw ValidationError("Missing expected argument '<session>'") }
  }

  func run() async throws {
    try await SessionPlayback.reportingRefusals { try await play() }
  }

  /// The values for the session's parameters. A session that is resumed has those with which it was interrupted, and
  /// its seed.
  private func settings(of session: String) -> SessionSettings {
    var settings = parameters.settings
    if !playing.resume { return settings }
    if parameters.set.isEmpty { settings = .saved(ResumePoint.settings(of: session)) }
    settings.seed = parameters.seed ?? ResumePoint.seed(of: session)
    return settings
  }

  private func play() async throws {
    // Installed first, because the steps below may wait for the network.
    let interruptions = try Interruptions()
    let session = try session ?? ResumePoint.lastSession()
    // A session that had another length when it was interrupted is resumed with that length.
    let seconds = try FittedLength.seconds(duration) ?? (playing.resume ? ResumePoint.fittedLength(of: session) : nil)
    var plan = SessionPlan.read(
      session, settings: settings(of: session), playsWhileDownloading: options.playsWhileDownloading)
    do throws(Refusal) { try plan.fit(to: seconds) } catch {
      // Without the option, the length is that of the interrupted session, which has changed since.
      if duration == nil, let change = ResumePoint.change(of: session) { throw change }
      throw error
    }
    if watch, !options.output.isLive {
      throw Refusal("--watch needs a live output, because a file is not heard while it is made")
    }
    // A session on stdin can't be read again.
    try await SessionPlayback(options: options).play(
      plan, at: SessionFile.isStream(session) ? nil : session, watches: watch, until: interruptions)
  }
}
