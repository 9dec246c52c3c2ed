// The transformations that are there for a server.
#pragma once

#include "runtime/session/services.h"
#include "runtime/skills/skill_library.h"

namespace ws {

/// Reads all files again, some milliseconds: one that was just written is found. The user's
/// folders go before the program's own.
SkillLibrary current_skills(const ServicesOptions& options);

}  // namespace ws
