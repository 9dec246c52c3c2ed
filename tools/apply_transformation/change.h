// The changes that a pass makes to a kernel, from the client's edits and the pass's own additions.
#pragma once

#include "tools/apply_transformation/step.h"

namespace ws {

inline constexpr std::size_t kReasonBytes = 200;  ///< The limit of a stored reason.
inline constexpr std::size_t kShownName = 40;     ///< Bytes of a client's name.

/// Edits and plan fields as edit_kernel takes them; null where there are none.
struct Change {
  Json edits;
  Json set;
  Json refused = Json::array();  ///< [{edit, reason}], the first ten of what the pass may not
                                 ///< change. Then nothing is to be applied.
  std::size_t refusals = 0;      ///< How many there are in all.
  bool skips = false;            ///< Neither edits nor `set` were sent: nothing is to be changed.

  void refuse(const std::string& edit, const std::string& reason);

  [[nodiscard]] bool empty() const { return edits.is_null() && set.is_null(); }
};

/// Adds the pass's parameters, constraints and helper files to what was sent, and refuses what the
/// pass may not touch: other regions, fields that are not of the plan, values of parameters and
/// constraints that the kernel has, constraints of the caller's own.
Change change_of(const Step& step, const TransformParams& params);

/// The change as text, lines with `-` and `+` below their place; cut when long.
std::string diff_of(const Kernel& base, const Change& change);

}  // namespace ws
