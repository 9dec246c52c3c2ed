// The page's drawings as one document for clients that show results inside the chat (MCP Apps).
#pragma once

#include <string>
#include <string_view>

#include "server/protocol/offer.h"

namespace ws::server {

/// A module of web/ with those that it imports, as one script: each is a function that gives what
/// it exports, in the order in which they need each other.
/// @param name  "app.js". Its imports are `import {NAME, ...} from "./FILE";`, and what it exports
///              are functions and classes.
std::string bundled(std::string_view name);

/// The document of the view of results, made when it is first asked for. It loads nothing.
const std::string& result_page();

/// The view, for the tools whose results it draws.
AppView result_app();

}  // namespace ws::server
