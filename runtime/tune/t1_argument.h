// One argument of a kernel specification of Kernel Tuner.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/form/json_reader.h"

namespace ws::tune {

/// A text, or a number as one; empty: the field is not there.
std::string word_in(const nlohmann::json& object, const std::string& key);

/// The form of a problem's argument.
/// @param size  The expression of its size in the problem's names; of scalars not looked at.
/// @errors kInvalidArgument, kUnsupported: a field that a problem cannot have.
Result<nlohmann::json> argument_of_t1(const JsonReader& argument, const std::string& name,
                                      const std::string& size);

}  // namespace ws::tune
