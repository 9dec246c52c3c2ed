// A run that went wrong, in the words of the contract: verdict, and a fault with its place.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "runtime/base/verdict.h"
#include "runtime/device/backend.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

struct Fault {
  Verdict verdict = Verdict::kRuntimeError;
  std::string kind;     ///< read_out_of_bounds, integer_division_by_zero, stack_overflow, ...
  std::string message;  ///< One sentence that an agent can act on.
  std::string buffer;   ///< The buffer or variable; empty where none is involved.
  std::optional<std::int64_t> index;  ///< Element of `buffer`, as the kernel computed it.
  std::string access;                 ///< read | write | ""
  std::string file;                   ///< The region: source, macros or a header's name.
  int line = 0;
  int column = 0;
  std::optional<std::array<std::uint32_t, 3>> block;
  std::optional<std::array<std::uint32_t, 3>> thread;
  int signal = 0;
};

/// "(1,2,3)": a block or a thread.
std::string text_of_triple(const std::array<std::uint32_t, 3>& at);

/// @param outcome  Not ok().
/// @param limit    The deadline that the run had.
Fault describe_fault(const RunOutcome& outcome, const Image& image, const ResolvedPlan& plan,
                     std::chrono::milliseconds limit);

}  // namespace ws
