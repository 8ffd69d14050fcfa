/// The priority of an operation in the queue. Operations of equal priority run in order of arrival.
/// The cases are in ascending order.
package enum OperationPriority: Sendable, Comparable, CaseIterable {
  /// Preloads and other work on the caches.
  case low
  /// Navigation, volumes, and changes to the schedule.
  case normal
  /// Transport: play, pause, toggle, resume, finish. Except for play and resume, it cancels waiting navigations of
  /// lower priority and asks a running one to stop.
  case high
  /// A stop, and interruptions by the system: another program needs silence, the output is unplugged, or the computer
  /// goes to sleep. It also asks any other running operation of lower priority to stop.
  case critical

  /// The name in logs and metrics.
  package var name: String { "\(self)" }
}
