// Prompts: what a person picks from a menu, and what the model is then told to do. Fixed texts that
// lead through the tools; only the caller's own arguments are filled in.
#pragma once

#include <string>

#include "server/protocol.h"

namespace ws {

/// The `prompts` of prompts/list, in the order of their names.
OrderedJson list_prompts(Revision revision);

/// The result of prompts/get.
///
/// @param arguments  An object of texts, or null.
/// @errors -32602: no such prompt, an argument that is missing, unknown, no text, or too long.
RpcResult<OrderedJson> get_prompt(const std::string& name, const Json& arguments);

}  // namespace ws
