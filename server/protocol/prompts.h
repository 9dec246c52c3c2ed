// The product's prompts: a person picks one from a menu, and the model gets its instructions. The
// texts are fixed and lead through the tools; only the caller's own arguments are filled in. They
// are from the files of skills/, which the product also serves as skills.
#pragma once

#include "server/protocol/offer.h"
#include "server/protocol/skills.h"

namespace ws::server {

/// Lives as long as the program.
const PromptSource& product_prompts();

/// One for each prompt; skill://PROMPT is another address of its SKILL.md. Lives as long.
const SkillShelf& product_skills();

}  // namespace ws::server
