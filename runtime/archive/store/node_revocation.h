// Nodes whose work does not count any more.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/result.h"

namespace ws {

/// The node takes no more part in the archive of a database, and what it measured becomes claims,
/// which never count as evidence. May be called again. @return  How many pieces of evidence.
/// @errors kNotFound: no such node; as open_postgres().
Result<std::int64_t> revoke_node(const std::string& url, const std::string& name);

/// The node may take part again; its claims stay claims. @errors The same.
Status allow_node(const std::string& url, const std::string& name);

}  // namespace ws
