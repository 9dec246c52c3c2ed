// What a pass changes of a kernel, from the client's edits and what the pass itself adds.
#pragma once

#include "tools/apply_transformation/step.h"

namespace ws {

/// Edits and plan fields as edit_kernel takes them; null where there are none.
struct Change {
  Json edits;
  Json set;
  Json refused = Json::array();  ///< [{edit, reason}]: outside the pass's regions. Then nothing is
                                 ///< to be applied.

  [[nodiscard]] bool empty() const { return edits.is_null() && set.is_null(); }
};

/// Adds the pass's parameters, constraints and helper files to what was sent, and refuses what the
/// pass may not touch.
Change change_of(const Step& step, const Json& arguments);

/// The change as text, lines with `-` and `+` below their place; cut when long.
std::string diff_of(const Kernel& base, const Change& change);

}  // namespace ws
