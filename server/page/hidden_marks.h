// Characters that a reader does not see, or that turn what stands around them.
#pragma once

#include <string>
#include <string_view>

namespace ws::server {

/// The text with such characters as \u202e: controls, and the marks and isolates of right-to-left
/// text. Markup stays as it is. web/dom.js does the same. @param text  UTF-8.
std::string hidden_marks_shown(std::string_view text);

}  // namespace ws::server
