#pragma once

#include <optional>
#include <string_view>

#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

/// Where `text` stops being UTF-8: overlong forms, surrogates and bytes beyond U+10FFFF are not.
std::optional<SourcePlace> find_bad_utf8(std::string_view text);

}  // namespace ws::ir
