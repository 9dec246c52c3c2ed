// The steps that bring the tables of an archive in a file from one version to the next.
// postgres_schema.cpp has the tables that they end with.
#pragma once

#include <span>

namespace ws {

struct Migration {
  const char* what;  ///< A sentence for the person who upgrades.
  const char* sql;
  bool empties_index;  ///< It is filled once, when all tables have their last form.
};

/// Step i brings version i to i + 1.
std::span<const Migration> migrations();

}  // namespace ws
