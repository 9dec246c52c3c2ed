// Whether a launch can pass its arguments to a kernel of tiles, before the kernel is looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel/plan/tile_launch.h"
#include "runtime/lift/tile/tree.h"

namespace ws::lift::tile {

/// A mistake in the source.
struct Complaint {
  int line = 0;
  int column = 0;  ///< From 1; 0: unknown.
  std::string message;
  std::string hint;
  std::string file = {};  ///< Beside the source; empty: the source.
};

/// Whether the parameter gets its value when the kernel is compiled: `tl.constexpr`,
/// `ct.Constant[int]`, `::Int`.
bool is_constant_parameter(const File& file, const Parameter& parameter);

/// The launch's kernel. Null: `complaints` says why the source has no such kernel.
const Function* find_kernel(const File& file, const TileLaunch& launch,
                            std::vector<Complaint>& complaints);

/// Too many or too few arguments, and buffers for constants. Empty: nothing is wrong.
std::vector<Complaint> check_launch(const File& file, const Function& kernel,
                                    const TileLaunch& launch);

}  // namespace ws::lift::tile
