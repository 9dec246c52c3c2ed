// One table of a TOML text that somebody else wrote, and nothing else of it.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

/// `text` with the table [parent.name] made of `lines`: in place of that table and those below it,
/// or at the end. Every other byte stays as it is.
///
/// @errors kInvalidArgument: `text` is not TOML as far as its tables, keys and strings go, or the
/// entry stands in it in another form than a table's; the message names the line.
Result<std::string> put_toml_table(const std::string& text, const std::string& parent,
                                   const std::string& name, const std::vector<std::string>& lines);

}  // namespace ws::server
