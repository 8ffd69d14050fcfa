/// The connections of a session with the desktop.
package struct DesktopFeatures: Sendable, Hashable {
  /// Media keys and applets can control the player (MPRIS).
  package var hasMediaControls: Bool
  /// The desktop shows no notifications while the session plays (`--do-not-disturb`).
  package var silencesNotifications: Bool
  /// The end of the session and the loss of its output are shown as notifications (`--notify`).
  package var announces: Bool

  package init(hasMediaControls: Bool, silencesNotifications: Bool, announces: Bool) {
    self.hasMediaControls = hasMediaControls
    self.silencesNotifications = silencesNotifications
    self.announces = announces
  }

  /// No connection to the desktop.
  package static let none = DesktopFeatures(hasMediaControls: false, silencesNotifications: false, announces: false)

  var followsState: Bool { hasMediaControls || silencesNotifications }
  var needsNotifications: Bool { silencesNotifications || announces }
  var needsBus: Bool { hasMediaControls || needsNotifications }

  /// The end of a warning when the notification service can't be used: which options have no effect.
  var optionsWithoutEffect: String {
    switch (silencesNotifications, announces) {
    case (true, true): "--do-not-disturb and --notify have no effect"
    case (true, false): "--do-not-disturb has no effect"
    case (false, _): "--notify has no effect"
    }
  }
}
