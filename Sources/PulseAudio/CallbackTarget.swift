/// An object whose address is passed to C callbacks. They don't retain it: it outlives them.
protocol CallbackTarget: AnyObject {}

extension CallbackTarget {
  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func at(_ userdata: UnsafeMutableRawPointer?) -> Self? {
    userdata.map { Unmanaged<Self>.fromOpaque($0).takeUnretainedValue() }
  }
}
