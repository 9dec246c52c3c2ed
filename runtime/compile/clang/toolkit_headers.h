// The names by which kernels include parts of the CUDA toolkit and of the C library.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ws::clang_engine {

/// The text of a header of the toolkit or the C library; nothing where the name is neither's. A
/// header that has nothing here for a kernel is empty but for its namespaces: including it is no
/// error, and the first use of what it should have declared names that.
std::optional<std::string_view> toolkit_header(std::string_view name);

/// The names in the #include lines of a text, also of those that are not compiled.
std::set<std::string> included_names(std::string_view text);

/// The names in the #include lines that stand before all else but comments, #define and #pragma.
std::vector<std::string> leading_includes(std::string_view text);

}  // namespace ws::clang_engine
