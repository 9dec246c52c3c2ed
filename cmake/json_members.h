// Read before every file of a build that is made once: the members of nlohmann::json, which most
// files use, are compiled in json_members.cpp alone.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
