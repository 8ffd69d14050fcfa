import Engine
import Testing

@Suite struct LibraryFailureTests {
  private static let missing = "cannot open shared object file: No such file or directory"
  private static let limit = "too many open files; raise the limit with 'ulimit -n'"

  @Test(arguments: [
    ("libsndfile.so.1: \(missing)", "; install the package libsndfile1", false),
    ("/lib/x86_64-linux-gnu/libsndfile.so.1: file too short", "; install the package libsndfile1", false),
    ("", "; install the package libsndfile1", false),
    ("libopus.so.0: \(missing)", " without libopus.so.0; install the package that contains it", false),
    ("/lib/libopus.so.0: file too short", " without libopus.so.0; install the package that contains it", false),
    ("libsndfile.so.1: cannot open shared object file: Too many open files", ": \(limit)", true),
    ("libogg.so.0: cannot open shared object file: Too many open files", ": \(limit)", true),
    (
      "libogg.so.0: cannot open shared object file: Too many open files in system",
      ": too many files are open; end other programs", true
    ),
    ("libsndfile.so.1: failed to map segment from shared object", ": there is not enough memory", true),
    ("libm.so.6: cannot create shared object descriptor: Cannot allocate memory", ": there is not enough memory", true),
  ])
  func `the text of the linker tells what is missing`(_ text: String, _ rest: String, _ isShortage: Bool) throws {
    let failure = try #require(LibraryFailure(text, of: "libsndfile", in: "the package libsndfile1"))
    #expect(failure.description == "libsndfile can't be loaded\(rest)")
    #expect(failure.isShortage == isShortage)
  }

  @Test func `libraries that come with the packages are not others`() {
    for name in ["libavutil.so.57", "libavformat.so.59"] {
      let failure = LibraryFailure("\(name): \(Self.missing)", of: "libavformat", with: ["libavutil"], in: "these")
      #expect(failure?.description == "libavformat can't be loaded; install these")
    }
  }

  @Test func `a library that is loaded has not failed`() {
    #expect(LibraryFailure(nil, of: "libsndfile", in: "the package libsndfile1") == nil)
  }
}
