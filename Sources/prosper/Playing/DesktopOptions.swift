import ArgumentParser
import ProsperKit

/// The options for the desktop, which `play` and `sit` share.
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

  /// The features that these options select. A render has no media player and silences no notifications.
  func features(isLive: Bool) -> DesktopFeatures {
    DesktopFeatures(
      hasMediaControls: isLive && !noMediaControls, silencesNotifications: isLive && doNotDisturb, announces: notify)
  }
}
