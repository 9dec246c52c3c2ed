// The product's prompts: a person picks one from a menu, and the model gets its instructions. The
// texts are fixed and lead through the tools; only the caller's own arguments are filled in. As
// resources their addresses are skill://NAME: what a caller leaves out is filled in there, and what
// it must say stands in braces.
#pragma once

#include "server/protocol/offer.h"

namespace ws::server {

/// Lives as long as the program.
const PromptSource& product_prompts();

}  // namespace ws::server
