// Which launches a validation makes beside plain ones: threads and blocks in other orders, and
// memory as the launch before left it; and how it says what they showed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/device/run_mode.h"
#include "runtime/evaluate/finding_code.h"
#include "runtime/judge/validation_plan.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The orders that the runs of a validation are made in.
enum class OrderChoice : std::uint8_t {
  kInTurn,  ///< The first run is in ascending order, then descending and random ones take turns;
            ///< the last of fewer than three runs is made in both.
  kEvery,   ///< Each run in each order.
  kAscendingBlocks,  ///< As kInTurn for the threads of a block; blocks start in ascending order.
};

/// The modes of one run's launches.
/// @param index  The run, of `count`. @param launched  Its workload has had so many launches:
/// every second one begins with what the one before left.
std::vector<RunMode> launch_modes(std::size_t index, std::size_t count, std::size_t launched,
                                  OrderChoice orders);

/// True for one run of a plan: it is launched once more on memory that is all zeros. That is the
/// last run of the first workload, so that no launch after it begins with what this one leaves; but
/// not one with large values, whose errors say little.
bool begins_with_zeros(const ValidationPlan& plan, std::size_t index);

/// Why a kernel is wrong that is right in ascending order. @param detail  What is wrong.
/// @param rounding  Its errors are of rounding's size: sums that are added up in another order.
std::string order_message(RunOrder order, std::string_view detail, bool rounding);

/// Why a kernel is wrong that is wrong in another way in descending order.
std::string wrong_orders_message(std::string_view detail);

/// Why a kernel does not end that does in ascending order. @param detail  Where it was.
std::string hang_message(RunOrder order, std::string_view detail);

/// Why a kernel is wrong that is right where outputs and scratch hold random bits.
std::string zeros_message(std::string_view detail);

/// Why a kernel that looks at its clock or at addresses is wrong in a launch that repeats another
/// one. @param part  kTimeDependent or kPlaceDependent.
std::string moved_message(FindingCode part, std::string_view detail);

/// Why a kernel is wrong that is right with fresh memory.
/// @param changed_variable  As RunReply.
std::string state_message(const ResolvedPlan& plan, const Image& image,
                          std::uint32_t changed_variable, std::string_view detail);

/// Notes about a compiled kernel, whatever its results are.
std::vector<FindingCode> notes_of(const CompileOutcome& compiled);

}  // namespace ws
