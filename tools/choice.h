// A choice that only the caller can make: an argument that may mean one of several things.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace ws {

struct Choice {
  std::string argument;             ///< Its name.
  std::string question;             ///< One sentence.
  std::vector<std::string> values;  ///< It means one of these; at least two.
};

/// Reads the error of a call whose argument is the beginning of several ids. Nothing: the error is
/// another one, or it does not name all of the ids.
std::optional<Choice> choice_of(const Json& arguments, const Error& error);

}  // namespace ws
