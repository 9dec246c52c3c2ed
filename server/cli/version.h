// The version that the command line shows.
#pragma once

#include <string>

namespace ws::server {

/// "0.1.0".
const char* version();

/// {"version", "archive", "dependencies": {name: version}}, on one line: the archive's version, and
/// those of the libraries that are linked in, as far as the build knew them.
std::string version_json();

}  // namespace ws::server
