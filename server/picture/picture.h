// The answers of tools as pictures, for clients that show no views.
#pragma once

#include <optional>
#include <string>

#include "server/picture/drawing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// The pictures are so wide. [pixels]
inline constexpr int kPictureWidth = 720;

/// The drawing of an answer; nothing: it has nothing to show, as the wrong output of a kernel that
/// passed.
/// @param record  That of the answer's evidence; null: there is none. It may come from another
/// archive: parts that are not as the tools write them are left out.
std::optional<Drawing> drawing_of(const std::string& tool, const Json& output, const Json& record);

}  // namespace ws::server
