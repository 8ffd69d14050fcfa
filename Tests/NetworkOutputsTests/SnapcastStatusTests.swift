import Markup
import Signal
import Testing

@testable import NetworkOutputs

/// What a Snapcast server answers, and the format that it asks for.
@Suite struct SnapcastStatusTests {
  private func status(_ streams: String, groups: String = "[]") throws -> SnapcastStatus {
    let text = #"{"server":{"groups":\#(groups),"streams":\#(streams)}}"#
    return SnapcastStatus(try JSONReader.read(text, file: "answer"))
  }

  @Test func `a source has a port, a format and a chunk`() throws {
    let found = try status(
      #"[{"id":"hall","status":"idle","uri":{"host":"0.0.0.0:4953","scheme":"tcp","query":{"sampleformat":"44100:24:2","chunk_ms":"26"}}},"#
        + #"{"id":"pipe","status":"playing","uri":{"host":"","path":"/tmp/a","scheme":"pipe","query":{}}},"#
        + #"{"id":"far","uri":{"host":"h:1","scheme":"tcp","query":{"mode":"client","sampleformat":"48000:16:2"}}}]"#)
    let hall = found.sources[0]
    #expect((hall.name, hall.port, hall.chunk, hall.state) == ("hall", 4_953, 26, "idle"))
    #expect(hall.format.map { "\($0)" } == "44100 Hz, 24 bits, 2 channels")
    #expect(found.sources.map(\.takesSound) == [true, false, false])
  }

  @Test func `a group is found by its name, its ID or one of its clients`() throws {
    let found = try status(
      "[]",
      groups:
        #"[{"id":"g1","name":"","stream_id":"hall","clients":[{"id":"aa","connected":true,"host":{"name":"kitchen"},"config":{"name":""}}]},"#
        + #"{"id":"g2","name":"Upstairs","stream_id":"hall","clients":[{"id":"bb","connected":false,"host":{"name":"b"},"config":{"name":"Bed"}}]}]"#
    )
    #expect(["g1", "kitchen", "aa"].allSatisfy { found.groups[0].isCalled($0) })
    #expect(
      ["g2", "Upstairs", "Bed"].allSatisfy { found.groups[1].isCalled($0) } && !found.groups[1].isCalled("kitchen"))
    #expect(found.groups.map(\.title) == ["kitchen", "Upstairs"])
    #expect(found.groups.map { found.distinctTitle(of: $0) } == ["kitchen", "Upstairs"])
    #expect(found.listeners(to: "hall") == 1 && found.listeners(to: "pipe") == 0)
  }

  @Test(arguments: ["null", "[]", #"{"server":7}"#, #"{"server":{"streams":[{}],"groups":[3]}}"#])
  func `an answer of another kind has no sources`(text: String) throws {
    let found = SnapcastStatus(try JSONReader.read(text, file: "answer"))
    #expect(found.sources.isEmpty && found.groups.isEmpty)
  }

  @Test func `frames become little-endian integers of the source`() throws {
    let frames = [Frame(left: 0.5, right: -0.25), Frame(left: 1, right: -1)]
    #expect(try #require(SampleFormat("48000:16:2")).bytes(frames) == [0, 64, 0, 224, 255, 127, 0, 128])
    #expect(
      try #require(SampleFormat("48000:24:2")).bytes(frames)
        == [0, 0, 64, 0, 0, 0, 224, 255, 255, 255, 127, 0, 0, 0, 128, 255])
    #expect(try #require(SampleFormat("48000:32:1")).bytes(frames[..<1]) == [0, 0, 0, 16])
    #expect(try #require(SampleFormat("48000:16:4")).bytes(frames[..<1]) == [0, 64, 0, 224, 0, 0, 0, 0])
    for text in ["", "48000", "48000:8:2", "0:16:2", "48000:16:0", "48000:16:2:1", "a:b:c"] {
      #expect(SampleFormat(text) == nil)
    }
  }
}
