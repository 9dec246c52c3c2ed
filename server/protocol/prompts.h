// Prompts: a person picks one from a menu, and the model gets its instructions. The texts are fixed
// and lead through the tools; only the caller's own arguments are filled in.
#pragma once

#include <optional>
#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// The `prompts` of prompts/list, in the order of their names.
OrderedJson list_prompts(Revision revision);

/// The result of prompts/get.
///
/// @param arguments  An object of texts, or null.
/// @errors -32602: no such prompt, an argument that is missing, unknown, no text, or too long.
RpcResult<OrderedJson> get_prompt(const std::string& name, const Json& arguments);

/// The same texts as resources, for clients that know no prompts: the rows of resources/list.
OrderedJson list_prompt_skills();

/// The text of skill://NAME where NAME is a prompt: what a caller leaves out is filled in, and what
/// it must say stands in braces. Nothing of other addresses.
std::optional<std::string> prompt_skill(const std::string& uri);

}  // namespace ws::server
