import ProsperKit

extension Timelines.Timeline {
  /// What `prosper show --json` prints of it.
  var json: String {
    var text = ""
    TimelineReport.json.write(self) { text += $0 }
    return text
  }
}
