// The device headers in headers/, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace ws::clang_engine {

struct EmbeddedHeader {
  std::string_view name;
  std::string_view text;
};

std::span<const EmbeddedHeader> embedded_headers();

}  // namespace ws::clang_engine
