// One table [[principal]] of a principals file.
#pragma once

#include <string>
#include <vector>

#include "server/access/principals_file.h"
#include "server/access/principals_toml.h"

namespace ws::server {

/// @param file  For the messages, as parse_principals() has it.
/// @param before  The principals above it: neither its name nor its user may be one of theirs.
/// @errors As parse_principals().
Result<PrincipalEntry> read_principal(const toml::table& table, const std::string& file,
                                      const std::vector<PrincipalEntry>& before);

}  // namespace ws::server
