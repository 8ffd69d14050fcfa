import CSndFile
import Glibc

/// The view for a pointer that a C library passes back. The owner of the library's handle also owns the view, and
/// closes the handle first, so the view exists during every callback.
func byteView(of pointer: UnsafeMutableRawPointer) -> ByteView {
  Unmanaged<ByteView>.fromOpaque(pointer).takeUnretainedValue()
}

/// The pointer that a C library gets for a view. It doesn't retain the view.
func pointer(to view: ByteView) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(view).toOpaque() }

/// Calls `body` with the callbacks by which libsndfile reads a view. The library copies them.
func withViewCallbacks<Result>(_ body: (inout SF_VIRTUAL_IO) -> Result) -> Result {
  var callbacks = SF_VIRTUAL_IO()
  callbacks.get_filelen = { data in data.map { byteView(of: $0).claimedLength } ?? 0 }
  callbacks.seek = { offset, whence, data in data.map { byteView(of: $0).seek(offset, whence) } ?? -1 }
  callbacks.tell = { data in data.map { byteView(of: $0).position } ?? 0 }
  callbacks.read = { target, count, data in
    guard let target, let data, count > 0 else { return 0 }
    return Int64(byteView(of: data).read(into: target, count: Int(count)))
  }
  callbacks.write = { _, _, _ in 0 }
  return body(&callbacks)
}
