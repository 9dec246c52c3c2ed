// Texts that come with the program for models and people: forms, examples, instructions.
#pragma once

#include <string_view>

namespace ws {

/// A file of the repository that is built in: "docs/cuir.md", "skills/start/SKILL.md". Empty where
/// there is none of that name. Any thread.
std::string_view guide_file(std::string_view path);

}  // namespace ws
