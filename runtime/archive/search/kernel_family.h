// The relatives of a kernel: what it was made from, and what was made from these.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search/listing.h"
#include "runtime/archive/store/sqlite.h"

namespace ws {

/// A kernel, and how it came of its parent.
struct FamilyMember {
  ListedKernel kernel;
  /// The newest try at a pass that gave it; nothing where it came about in another way.
  std::optional<PassTry> pass{};
};

struct KernelFamily {
  std::vector<FamilyMember> members;  ///< A kernel stands behind its parent.
  bool cut = false;                   ///< There are more relatives.
};

namespace store {

/// The kernel's ancestors, the kernel, its descendants, then what else was made from its ancestors,
/// the nearest first. @errors kIo; kNotFound.
Result<KernelFamily> family_of(Connection& connection, const std::string& kernel_id,
                               std::size_t most);

}  // namespace store
}  // namespace ws
