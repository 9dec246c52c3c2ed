// The mark of a move that has not ended, in the settings of its target: what is there is a part of
// another archive, and nobody may use it yet.
#pragma once

#include <string>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws::store {

inline constexpr const char* kMoveSetting = "archive_move";

/// @param name  The archive as messages call it. @errors kConflict: a move to it has not ended.
Status check_not_half_moved(Connection& connection, const std::string& name);

/// One try at a move, which may be followed by others. The statements run in the caller's
/// transactions.
class MoveMark {
 public:
  /// @param source  The archive that is moved, as messages call it.
  explicit MoveMark(const std::string& source);

  /// @errors kConflict: another archive is moved there.
  Status check_source(Connection& target, const std::string& target_name) const;

  /// Marks the target; a move from the same source that was stopped is taken over.
  /// @errors As check_source().
  Status set(Connection& target, const std::string& target_name) const;

  /// @errors kConflict: another process goes on with the move, or it has ended.
  Status check(Connection& target) const;

  static Status remove(Connection& target);

 private:
  std::string source_;
  std::string value_;
};

}  // namespace ws::store
