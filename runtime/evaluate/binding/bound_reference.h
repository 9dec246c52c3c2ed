// A kernel of another problem as the source of expected outputs.
#pragma once

#include <memory>
#include <string>

#include "runtime/evaluate/binding/binding.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/reference.h"
#include "runtime/evaluate/validate/validation.h"

namespace ws {

/// Runs `other` beside the kernels of `own`, whose inputs it gets as the binding says.
/// @param who  Names it in messages. @param binding  Complete. All but it must outlive the result.
OtherReference bound_reference(Backend& backend, const Problem& own, const Subject& other,
                               Binding binding, std::string who);

/// Gives what an opened reference of another problem computes, as `own` has it. An output of it
/// that is not written whole is an error of the run.
/// @param other  For the workload beside `workload`.
Result<std::unique_ptr<Reference>> bound_to(const Problem& own, const Binding& binding,
                                            const Workload& workload,
                                            std::unique_ptr<Reference> other);

}  // namespace ws
