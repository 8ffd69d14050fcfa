@testable import Desktop
import Player
import Testing

@Suite struct AnnouncementTests {
  @Test(arguments: [
    (FinishReason.completed, 1_500.4, "The session has ended after 25:00."),
    (.stopped, 65, "The session was stopped after 1:05."),
    (.interrupted, 0, "The session was stopped after 0:00."),
    (.terminated, 3_723, "The session was stopped after 1:02:03."),
    (.outputFailed, 59.6, "The session ended early after 1:00: the output failed."),
  ])
  func `the end of a session is announced with its reason and the time played`(
    reason: FinishReason, seconds: Double, text: String
  ) {
    var totals = Totals(played: seconds)
    totals.gongs = 3
    let announcement = Announcement(.sessionFinished(reason: reason, totals: totals))
    #expect(announcement?.text == text)
    #expect(announcement?.isUrgent == false)
  }

  @Test func `a lost output is urgent, and its return withdraws the announcement`() {
    let lost = Announcement(.output(.lost(cause: "gone")))
    #expect(lost?.isUrgent == true && lost?.text == "The output is lost. The session continues when it is back.")
    #expect(Announcement(.output(.restored(after: 2))) == .outputRestored)
    #expect(Announcement.outputRestored.text == nil)
  }

  @Test(arguments: [PlayerEvent.gong(title: "bowl"), .output(.corked), .output(.moved(to: "x")), .warning("w")])
  func `nothing else is announced`(event: PlayerEvent) { #expect(Announcement(event) == nil) }
}
