import Foundation

/// The absolute path of a file that is named from the current folder.
func absolutePath(of path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
