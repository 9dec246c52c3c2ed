// The arguments of `apply_transformation`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/answer/envelope.h"

namespace ws {

/// Without a transformation and a target: a list. With one of them: an instruction, or a try where
/// edits or plan fields are there.
struct TransformParams {
  CommonParams common;
  std::string kernel_id;  ///< An id or a ref.
  std::optional<std::string> transformation;
  std::optional<std::size_t> pass;       ///< From 1; nothing: the next one.
  std::string arch;                      ///< Instead of the device's; empty: the device's.
  std::optional<std::string> target_ir;  ///< The program that the kernel is to be lowered to.
  Json problem;                          ///< The target's, as sent; null: none.
  std::optional<std::string> problem_id;
  Json edits;                      ///< As sent; null: none. [] is a try too.
  Json set;                        ///< Plan fields as sent; null: none.
  std::optional<std::string> ref;  ///< Moved to a kernel that passed.

  [[nodiscard]] bool tries() const { return !edits.is_null() || !set.is_null(); }
};

void from_json(const Json& arguments, TransformParams& params);

}  // namespace ws
