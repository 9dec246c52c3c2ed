// The frame of the pages for browsers without scripts.
#pragma once

#include <string>

namespace ws::server {

/// A whole document with its heading, and a way back to the list of problems.
/// @param title  Any text; it is escaped and cut. @param body  HTML.
std::string plain_document(const std::string& title, const std::string& body);

}  // namespace ws::server
