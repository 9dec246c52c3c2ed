// Bytes as text of JSON and of headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ws::server {

/// With padding. @source RFC 4648, section 4.
std::string to_base64(std::string_view bytes);

/// Nothing when the alphabet or the padding is wrong, or when bits are set that the padding says
/// are not there: no encoder makes that.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace ws::server
