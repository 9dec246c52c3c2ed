// Asks a client's user which of several things a call means.
#pragma once

#include <optional>

#include "server/protocol/inputs.h"
#include "tools/choice.h"

namespace ws::server {

/// The form that asks it, for InputNeeded.
Json choice_requests(const Choice& choice);

/// Whether the user has been asked, and has answered in some way.
bool was_asked(const Json& responses);

/// The arguments with the user's choice in the place of what was ambiguous. Nothing: the user did
/// not choose, or chose for no argument of this call.
std::optional<Json> chosen_arguments(const Json& arguments, const Json& responses);

}  // namespace ws::server
