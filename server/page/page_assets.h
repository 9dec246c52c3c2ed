// The parts of the page that come with the program: the files of web/.
#pragma once

#include <string_view>

namespace ws::server {

/// A file by its name: "main.js". Empty where there is none of that name. Any thread.
std::string_view page_asset(std::string_view name);

}  // namespace ws::server
