// JSON values to text: each answer goes through here, most of them strings without an escape.
#pragma once

#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// Appends `value` on one line, byte for byte as nlohmann's dump() with replaced bytes writes it,
/// in a fifth of its time: runs of plain characters are copied whole. Any thread.
void append_json(std::string& line, const Json& value);

}  // namespace ws::server
