// The arguments of clang's front end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clang/Frontend/CompilerInstance.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// The device headers that stand before a source.
enum class Headers : std::uint8_t { kUsual, kAll };

/// Those that decide the language, and with it what the device headers mean.
std::vector<std::string> language_arguments(const CompileRequest& request, Headers headers);

/// Adds those that name the source, and what else stands before it.
void add_source_arguments(const CompileRequest& request, std::vector<std::string>& arguments);

/// @return  False: clang does not understand them; its diagnostics say why.
bool take_arguments(clang::CompilerInstance& compiler, const std::vector<std::string>& arguments);

}  // namespace ws::clang_engine
