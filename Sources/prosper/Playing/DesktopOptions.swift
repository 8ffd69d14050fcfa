import ArgumentParser
import ProsperKit

/// The options for the desktop and for other programs, which `play`, `sit` and `serve` share.
struct DesktopOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-mpris"),
    help:
      "Doesn't register as a media player of the desktop (MPRIS): media keys, applets and 'playerctl' have no effect.")
  var noMediaControls = false

  @Flag(
    help: """
      Silences the desktop's notifications while the session plays, in KDE Plasma, GNOME and other desktops that \
      permit it. They are shown again during a pause and at the end, also after a crash.
      """)
  var doNotDisturb = false

  @Flag(help: "Shows a notification when the session has ended, and when its output is lost.")
  var notify = false

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp(
      "Runs a command of the shell at each such event, without waiting for it: --on gong=./light.sh. The article Hooks "
        + "describes it.", valueName: "event=command"))
  var hooks: [String] = []

  /// The hooks of these options, and for a live session those of the user's file, whose problems are printed.
  func hooks(isLive: Bool) throws(Refusal) -> [Hook] {
    var all: [Hook] = []
    for text in hooks { all.append(try Hook(argument: text)) }
    if !isLive { return all }
    let file = HookFile()
    for problem in file.problems { StandardError.printPlain(problem) }
    return file.hooks + all
  }

  /// The features that these options select. A render has no media player and silences no notifications.
  func features(isLive: Bool) -> DesktopFeatures {
    DesktopFeatures(
      hasMediaControls: isLive && !noMediaControls, silencesNotifications: isLive && doNotDisturb, announces: notify)
  }
}
