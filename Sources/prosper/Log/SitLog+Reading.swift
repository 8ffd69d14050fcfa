import ProsperKit

extension SitLog {
  /// The log of this user.
  static func own() throws(Refusal) -> SitLog {
    guard let folder = StateFolder() else {
      throw Refusal("HOME is not set, so there is no log; set HOME to an absolute path")
    }
    return SitLog(in: folder)
  }

  /// The content; without a file, it is empty. Blocks while another program writes.
  func content() throws(Refusal) -> SitLogContent {
    do throws(ErrorNumber) { return try read() } catch {
      throw Refusal("\(path): can't be read: \(error.message); check the file and its permissions")
    }
  }
}

extension LogReport {
  /// The sits of this user in the month that runs. Blocks while another program writes the log.
  static func ofThisMonth() throws(Refusal) -> LogReport {
    let content = try SitLog.own().content()
    let month = SitTime(seconds: Double(CalendarTimes.now))?.day.monthText
    let sits = content.sits.map(\.sit).filter { $0.start.day.monthText == month }
    return LogReport(sits: sits, isWhole: false, damaged: content.damaged)
  }
}
