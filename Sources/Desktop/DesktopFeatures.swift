/// What a session shows to the desktop, and what it asks from it.
package struct DesktopFeatures: Sendable, Hashable {
  /// Media keys and applets see the player and control it (MPRIS).
  package var hasMediaControls: Bool
  /// No notifications are shown while the session plays.
  package var silencesNotifications: Bool
  /// The end of the session and a lost output are shown as notifications.
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

  /// What the listener wants from the notification service and does not get.
  var wishes: String {
    switch (silencesNotifications, announces) {
    case (true, true): "--do-not-disturb and --notify have no effect"
    case (true, false): "--do-not-disturb has no effect"
    case (false, _): "--notify has no effect"
    }
  }
}
