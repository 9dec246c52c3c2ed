// A comparison of two kernels in the contract's form.
#pragma once

#include "runtime/evaluate/binding/pair.h"
#include "tools/answer/typed_job.h"

namespace ws {

/// Reads {"dims": {name: expression}, "args": {name: {"other", "order", "add"}}}, which the schema
/// has checked.
Binding binding_of_form(const Json& form);

/// The answer that shows a comparison to a client.
Answer answer_of(const VerifiedPair& pair);

}  // namespace ws
