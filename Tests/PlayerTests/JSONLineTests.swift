import Testing

@testable import Player

struct JSONLineTests {
  @Test func `a line of JSON keeps its keys' order and escapes what must be`() {
    var line = JSONLine()
    line.add("v", 1)
    line.add("session", seconds: 10.021)
    line.add("back", seconds: -0.0504)
    line.add("text", "a\"\\\n\u{1}\u{2028}é")
    line.add("on", true)
    line.add("gain", Float(0.1))
    line.add("none", Double.infinity)
    line.add("list", ["x", "y"])
    let expected =
      #"{"v":1,"session":10.021,"back":-0.050,"text":"a\"\\\n\u0001\u2028é","on":true,"gain":0.1,"none":null,"#
      + #""list":["x","y"]}"#
    #expect(line.description == expected)
  }
}
