// MessagePack, as far as code objects for AMD's GPUs use it: maps with text keys, arrays, text,
// integers and booleans.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace ws::msgpack {

struct Value {
  enum class Kind : std::uint8_t { kNil, kBool, kInteger, kText, kArray, kMap };
  Kind kind = Kind::kNil;
  std::int64_t number = 0;  ///< kBool: 0 or 1.
  std::string_view text;
  std::vector<Value> items;
  std::vector<std::pair<std::string_view, Value>> fields;

  /// Of a map; null: it has no such field, or is no map.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// A field's number; `otherwise`: there is none.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  /// A field's text; "": there is none.
  [[nodiscard]] std::string_view string(std::string_view name) const;
};

/// Reads one value; bytes behind it are left alone. Texts are views into `bytes`.
///
/// @errors kInternal: "not MessagePack: ...": cut off, nested more than 16 deep, more than 65536
/// values, or a type that is not listed above. Any bytes may come: a length is believed only as far
/// as there are bytes.
/// @source The MessagePack specification, github.com/msgpack/msgpack.
Result<Value> parse(std::string_view bytes);

}  // namespace ws::msgpack
