/// The connections of a session with the desktop.
package struct DesktopFeatures: Sendable, Hashable {
  /// Media keys and applets can control the player (MPRIS).
  package var hasMediaControls: Bool
  /// The desktop shows no notifications while the session plays.
  package var silencesNotifications: Bool
  /// The end of the session and the loss of its output are shown as notifications.
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

  /// The end of a warning when the notification service can't be used: what does not happen.
  var missingEffect: String {
    switch (silencesNotifications, announces) {
    case (true, true): "notifications are neither silenced nor shown"
    case (true, false): "notifications are not silenced"
    case (false, _): "no notification is shown"
    }
  }
}
