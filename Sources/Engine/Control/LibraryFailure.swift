import Files
import Glibc

/// Why a system library that is loaded on first use can't be used. The description is the end of a sentence, with the
/// fix.
package struct LibraryFailure: Error, CustomStringConvertible {
  package var description: String
  /// Whether only the system lacks something, so that the library can perhaps be loaded later.
  package var isShortage: Bool

  /// The library is loaded, but the system lacks memory for it.
  package init(shortageOf library: String) {
    (description, isShortage) = ("\(library) can't be used: there is not enough memory", true)
  }

  /// - Parameters:
  ///   - text: what the dynamic linker reports, such as `libogg.so.0: cannot open shared object file: ...`; nil if the
  ///     library is loaded.
  ///   - library: its name without a version.
  ///   - companions: the names of libraries that are loaded with it, and that the packages bring.
  ///   - packages: what to install if it is missing, such as "the package libsndfile1".
  package init?(_ text: UnsafePointer<CChar>?, of library: String, with companions: [String] = [], in packages: String)
  {
    guard let text = text.map({ String(cString: $0) }) else { return nil }
    let shortages = [
      ("open files in system", "too many files are open; end other programs"),
      ("Too many open files", ErrorNumber(code: EMFILE).message),
      ("Cannot allocate memory", "there is not enough memory"), (" map ", "there is not enough memory"),
    ]
    if let shortage = shortages.first(where: { text.contains($0.0) })?.1 {
      (description, isShortage) = ("\(library) can't be loaded: \(shortage)", true)
      return
    }
    // The library may need others.
    let file = text.prefix { $0 != ":" }.split(separator: "/").last ?? ""
    let isOther = file.contains(".so") && !([library] + companions).contains { file.hasPrefix($0 + ".") }
    let rest = isOther ? " without \(file); install the package that contains it" : "; install \(packages)"
    description = "\(library) can't be loaded" + rest
    isShortage = false
  }
}
