// Principals of a test's own, made as an operator makes them.
#pragma once

#include <string>

namespace ws::test {

/// The token of a new principal in the file, which may be missing. REQUIREs that it is made.
std::string made_token(const std::string& file, const std::string& name, const std::string& role);

/// The header that shows it, with its line end.
std::string bearer(const std::string& token);

}  // namespace ws::test
