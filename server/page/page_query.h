// The address of a request for data of the page, from untrusted text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ws::server {

/// The parts of a path between its slashes, percent-decoded: {"problem", "prb_..."}.
std::vector<std::string> path_parts(std::string_view path);

/// "a=b&c=d", percent-decoded. Of a name that is there twice the first value counts.
std::map<std::string, std::string> query_values(std::string_view query);

}  // namespace ws::server
