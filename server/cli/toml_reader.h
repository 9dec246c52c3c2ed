// A TOML text as its statements: tables and keys, without their values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

using TomlPath = std::vector<std::string>;

/// `[a.b]` or `a.b = value`.
struct TomlStatement {
  bool table = false;
  bool list = false;  ///< [[a.b]]
  TomlPath path;
  std::size_t from = 0;
  std::size_t end = 0;  ///< One past its last character, a comment on its line included.
};

/// @errors kInvalidArgument: "it is not TOML: line 3: ..."; values are only read as far as their
/// strings and brackets go.
Result<std::vector<TomlStatement>> read_toml(std::string_view text);

}  // namespace ws::server
