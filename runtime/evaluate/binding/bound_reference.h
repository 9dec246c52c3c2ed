// A kernel of another problem as the source of expected outputs.
#pragma once

#include "runtime/evaluate/binding/binding.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/validation.h"

namespace ws {

/// Runs `other` beside the kernels of `own`, whose inputs it gets as the binding says.
/// @param who  Names it in messages. @param binding  Complete. All but it must outlive the result.
OtherReference bound_reference(Backend& backend, const Problem& own, const Subject& other,
                               Binding binding, std::string who);

}  // namespace ws
