// Words that mean something in every program.
#pragma once

#include <string>
#include <string_view>

namespace ws::ir {

/// Whether a variable or a method that a program makes may not have this name: a keyword, an
/// operation, a library, or a name that every program has.
bool is_reserved(std::string_view name);

/// The name, with `_` behind it where it is reserved.
std::string free_name(const std::string& name);

}  // namespace ws::ir
