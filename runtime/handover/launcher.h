// The host side of a kernel as C++: what a plan says, for any dims.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The C++ type of a number that the host passes on, and of an element in comments: "float".
std::string cpp_type(DType type);

/// A word that C++ takes as a name: `int` becomes `int_`.
std::string cpp_word(const std::string& name);

/// A C++ string literal, whatever the text holds.
std::string cpp_literal(const std::string& text);

/// Includes and helpers, to stand before the texts of launcher_definition().
std::string launcher_prelude();

/// `struct Numbers` with the dims and scalars, and the declarations of check() and launch().
std::string launcher_declaration(const Problem& problem);

/// The definitions of check() and launch(), to stand behind the kernel's source and inside the
/// namespace of launcher_declaration().
/// @errors kInvalidArgument: an expression or a name that the plan has not.
Result<std::string> launcher_definition(const Problem& problem, const Kernel& kernel,
                                        const Params& params);

}  // namespace ws
