// Lifts one launch of a kernel of tiles to CuIR (docs/cuir.md).
//
// The kernel's body is run once, symbolically, with the types and constants of the launch: what a
// constant decides is decided, helper functions are written out where they are called, pointers
// become indices into the tensor that they point at, and implicit broadcasts become explicit ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/plan/tile_launch.h"
#include "runtime/lift/tile/launch_check.h"
#include "runtime/lift/tile/tree.h"
#include "runtime/lift/tile/value.h"

namespace ws::lift::tile {

/// An argument of the program's `__init__`.
struct ProgramTensor {
  std::string name;
  std::size_t arg = 0;  ///< Index into TileLaunch::args.
  Shape shape;          ///< As the program sees it.
};

struct ProgramScalar {
  std::string name;
  std::size_t arg = 0;
};

struct LiftedParameter {
  std::string name;
  std::string type;  ///< As written, or what the launch gives it: "*f32", "i32", "constexpr".
  bool tensor = false;
  bool integer = false;
  bool descriptor = false;
};

struct LiftedLaunch {
  std::string program;     ///< CuIR.
  std::vector<int> lines;  ///< For each of its lines, the line of the source; 0: none.
  std::vector<ProgramTensor> tensors;
  std::vector<ProgramScalar> scalars;
};

struct Lifted {
  std::optional<LiftedLaunch> launch;  ///< Nothing: see the complaints.
  std::vector<Complaint> complaints;
  std::vector<LiftedParameter> parameters;  ///< The entry's, where it was found.
};

/// Any thread. Bounded by kMaxSteps and kMaxStatements.
Lifted lift_launch(const File& file, const TileLaunch& launch);

/// Most statements that a lift writes: a helper is written out at each call.
inline constexpr std::size_t kMaxStatements = 20'000;
/// Most statements and expressions that it looks at, those written out counted each time.
inline constexpr std::size_t kMaxSteps = 500'000;

}  // namespace ws::lift::tile
