import Glibc

/// The time of day in seconds since 1970.
func wallSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Seconds since 1970 as ISO 8601 with milliseconds and the offset of the local zone, `2026-03-01T06:30:00.000+01:00`.
package func isoText(_ seconds: Double) -> String {
  let milliseconds = Int64((seconds * 1_000).rounded(.down))
  var whole = time_t(milliseconds / 1_000)
  var parts = tm()
  localtime_r(&whole, &parts)
  let padded = { (value: Int, width: Int) in
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  let date = [(Int(parts.tm_year) + 1_900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)].map(padded)
  let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }
  let offset = abs(parts.tm_gmtoff) / 60
  return date.joined(separator: "-") + "T" + time.joined(separator: ":") + ".\(padded(Int(milliseconds % 1_000), 3))"
    + (parts.tm_gmtoff < 0 ? "-" : "+") + "\(padded(offset / 60, 2)):\(padded(offset % 60, 2))"
}
