// MessagePack, as far as code objects for AMD's GPUs use it: maps with text keys, arrays, text,
// integers and booleans.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"

namespace ws::hip {

/// Reads one value; bytes after it are left alone. Any bytes may come.
///
/// @errors kInternal: "not MessagePack: ...": cut off, nested more than 16 deep, more than 65536
/// values, an integer over 2^63 - 1, or a type that is not listed above.
/// @source The MessagePack specification, github.com/msgpack/msgpack.
Result<nlohmann::json> parse_msgpack(std::string_view bytes);

}  // namespace ws::hip
