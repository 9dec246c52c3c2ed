// Roles of PostgreSQL that nodes connect as, and that may do no more than a node's work needs.
#pragma once

#include <string>

#include "runtime/base/result.h"

namespace ws {

/// Lets a role of the database's server be one node. Brings the tables to this version first, as
/// the role may not. May be called again, also with another node. @param url  As the tables' owner.
/// @errors kNotFound: there is no such role; kInvalidArgument: it may do everything anyway, or is a
/// group; kConflict: the node has another role; as open_postgres().
Status grant_node_role(const std::string& url, const std::string& role, const std::string& node);

/// The role may do nothing any more, from its next statement on; the node may get another one.
/// @errors kNotFound: no node has the role; as open_postgres().
Status deny_node_role(const std::string& url, const std::string& role);

}  // namespace ws
