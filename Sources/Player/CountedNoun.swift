/// A number and the noun that it counts, such as `1 event` and `2 events`.
///
/// - Parameters:
///   - one: the noun after 1.
///   - many: the noun after any other number; nil for `one` with an s.
package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}
