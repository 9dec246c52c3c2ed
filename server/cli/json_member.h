// One member of an object in a JSON text that somebody else wrote, and nothing else of it.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// `text` with text[object][name] = value: every other byte stays as it is, comments too. The
/// object is made where it is missing, and so is the whole text where it is empty.
///
/// @errors kInvalidArgument: `text` is not JSON (with comments), a name stands in it twice, or it
/// and `object` are no objects; the message says which and where.
Result<std::string> put_json_member(const std::string& text, const std::string& object,
                                    const std::string& name, const OrderedJson& value);

}  // namespace ws::server
