extension Array {
  /// The index of the first element that is in the second part of a list, by binary search; the end if there is none.
  ///
  /// - Parameter isSecond: false for all elements of the first part, and true for all of the second one.
  package func partitionPoint(where isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
