import ArgumentParser
import Desktop

/// The options for the desktop, which all commands that play sessions share.
struct DesktopOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-mpris"),
    help: "Is no media player of the desktop (MPRIS): media keys, applets and 'playerctl' can't find this player.")
  var noMediaControls = false

  @Flag(
    help: """
      Silences the desktop's notifications while the session plays, if the desktop lets programs do that: KDE Plasma \
      and GNOME do. They are shown again in a pause and at the end, also after a crash.
      """)
  var doNotDisturb = false

  @Flag(help: "Shows a notification when the session has ended, and when its output is lost.")
  var notify = false

  /// What these options select for a session. A render shows no media player and silences nothing.
  func features(isLive: Bool) -> DesktopFeatures {
    DesktopFeatures(
      hasMediaControls: isLive && !noMediaControls, silencesNotifications: isLive && doNotDisturb, announces: notify)
  }
}
