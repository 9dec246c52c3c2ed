// The guide as resources: examples, formats, references, which need no kernel and never change.
#pragma once

#include <optional>
#include <string>

#include "tools/tool.h"

namespace ws {

/// [{uri, name, description, mimeType}] for resources/list: example://NAME, doc://NAME,
/// cuir://reference, schema://NAME.
Json guide_rows();

/// The text of one of them; of an example the arguments of its compile_kernel call. Nothing of
/// another address. Any thread.
std::optional<ResourceText> guide_text(const std::string& uri);

}  // namespace ws
