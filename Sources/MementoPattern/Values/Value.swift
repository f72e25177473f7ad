// The values that the data of a memento can contain: a closed set of types.

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The integer types. A stored integer comes back as the same type.
enum IntegerType: String, Sendable, CaseIterable {
  case int
  case int8
  case int16
  case int32
  case int64
  case uint
  case uint8
  case uint16
  case uint32
  case uint64
}

/// One value with its type.
enum Value: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(IntegerType, Int128)
  case double(Double)
  case float(Float)
  case string(String)
  case data(Data)
  case date(Date)
  case array([Value])
  case dictionary([String: Value])
}

extension Value {
  /// The deepest nesting that can be saved. JSON readers have limits of their own, and a saved value must be readable
  /// again.
  static let depthLimit = 100

  /// Converts a value of any type. Throws `CaretakerError` for a type that cannot be stored and for nesting deeper than
  /// `depthLimit`; `path` is its place in the data.
  init(_ any: Any, at path: ValuePath = ValuePath()) throws(CaretakerError) {
    guard path.depth <= Value.depthLimit else { throw .tooDeep(keyPath: path.text) }
    if let optional = any as? any OptionalValue {
      guard let wrapped = optional.wrapped else {
        self = .null
        return
      }
      self = try Value(wrapped, at: path)
      return
    }
    if let scalar = Value.scalar(any) {
      self = scalar
    } else if let array = any as? [Any] {
      var values: [Value] = []
      values.reserveCapacity(array.count)
      for (index, element) in array.enumerated() { values.append(try Value(element, at: path.element(index))) }
      self = .array(values)
    } else if let dictionary = any as? [String: Any] {
      var values: [String: Value] = [:]
      for (key, element) in dictionary { values[key] = try Value(element, at: path.key(key)) }
      self = .dictionary(values)
    } else {
      throw .unsupportedType("\(type(of: any))", keyPath: path.text)
    }
  }

  /// Compares exact types. Where Foundation bridges numbers, a cast would turn one number type into another.
  private static func scalar(_ any: Any) -> Value? {
    switch type(of: any) {
    case is String.Type: (any as? String).map { .string($0) }
    case is Bool.Type: (any as? Bool).map { .bool($0) }
    case is Int.Type: (any as? Int).map { .integer(.int, Int128($0)) }
    case is Double.Type: (any as? Double).map { .double($0) }
    case is Data.Type: (any as? Data).map { .data($0) }
    case is Date.Type: (any as? Date).map { .date($0) }
    case is Int8.Type: (any as? Int8).map { .integer(.int8, Int128($0)) }
    case is Int16.Type: (any as? Int16).map { .integer(.int16, Int128($0)) }
    case is Int32.Type: (any as? Int32).map { .integer(.int32, Int128($0)) }
    case is Int64.Type: (any as? Int64).map { .integer(.int64, Int128($0)) }
    case is UInt.Type: (any as? UInt).map { .integer(.uint, Int128($0)) }
    case is UInt8.Type: (any as? UInt8).map { .integer(.uint8, Int128($0)) }
    case is UInt16.Type: (any as? UInt16).map { .integer(.uint16, Int128($0)) }
    case is UInt32.Type: (any as? UInt32).map { .integer(.uint32, Int128($0)) }
    case is UInt64.Type: (any as? UInt64).map { .integer(.uint64, Int128($0)) }
    case is Float.Type: (any as? Float).map { .float($0) }
    default: nil
    }
  }

  /// The value as the Swift type that it was made from.
  var any: Any {
    switch self {
    case .null: return Any?.none as Any
    case .bool(let value): return value
    case .integer(let type, let value): return type.value(value)
    case .double(let value): return value
    case .float(let value): return value
    case .string(let value): return value
    case .data(let value): return value
    case .date(let value): return value
    case .array(let values): return values.map(\.any)
    case .dictionary(let values): return values.mapValues(\.any)
    }
  }
}

extension IntegerType {
  var range: ClosedRange<Int128> {
    switch self {
    case .int: Int128(Int.min)...Int128(Int.max)
    case .int8: Int128(Int8.min)...Int128(Int8.max)
    case .int16: Int128(Int16.min)...Int128(Int16.max)
    case .int32: Int128(Int32.min)...Int128(Int32.max)
    case .int64: Int128(Int64.min)...Int128(Int64.max)
    case .uint: 0...Int128(UInt.max)
    case .uint8: 0...Int128(UInt8.max)
    case .uint16: 0...Int128(UInt16.max)
    case .uint32: 0...Int128(UInt32.max)
    case .uint64: 0...Int128(UInt64.max)
    }
  }

  /// The number as this type. `value` must be in `range`.
  fileprivate func value(_ value: Int128) -> Any {
    switch self {
    case .int: Int(truncatingIfNeeded: value)
    case .int8: Int8(truncatingIfNeeded: value)
    case .int16: Int16(truncatingIfNeeded: value)
    case .int32: Int32(truncatingIfNeeded: value)
    case .int64: Int64(truncatingIfNeeded: value)
    case .uint: UInt(truncatingIfNeeded: value)
    case .uint8: UInt8(truncatingIfNeeded: value)
    case .uint16: UInt16(truncatingIfNeeded: value)
    case .uint32: UInt32(truncatingIfNeeded: value)
    case .uint64: UInt64(truncatingIfNeeded: value)
    }
  }
}

/// Lets `Value` unwrap an Optional of any type.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { map { $0 } }
}

/// The place of a value in the data, for messages, for example `shapes[3].color`.
struct ValuePath: Sendable {
  private(set) var text = ""
  private(set) var depth = 0

  func key(_ key: String) -> ValuePath {
    ValuePath(text: text.isEmpty ? key : "\(text).\(key)", depth: depth + 1)
  }

  func element(_ index: Int) -> ValuePath {
    ValuePath(text: "\(text)[\(index)]", depth: depth + 1)
  }
}
