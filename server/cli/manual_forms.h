// The forms in which the manual is written.
#pragma once

#include <string>

#include "server/cli/manual_options.h"

namespace ws::server {

/// In the macros of man(7).
std::string man_page(const Manual& manual);

// A shell reads these to complete commands and options, and files where an option or argument takes
// one.
std::string bash_completion(const Manual& manual);
std::string zsh_completion(const Manual& manual);
std::string fish_completion(const Manual& manual);

}  // namespace ws::server
