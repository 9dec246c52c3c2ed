// Workloads: which choices of dims and scalars a problem is judged on, and which a kernel covers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Most choices that dims and scalars may span, before `valid` thins them out.
inline constexpr std::size_t kMaxWorkloads = 4096;

/// The names of expressions: dims, integer scalars and parameters.
Bindings bindings_of(const Problem& problem, const Workload& workload, const Params& params = {});

/// The listed workloads: `workloads` of the problem, else every choice of listed dims and scalars
/// that meets `valid`, last dim fastest.
/// @errors kInvalidArgument: over kMaxWorkloads choices, none meets `valid`, or an expression
/// fails.
Result<std::vector<Workload>> expand_workloads(const Problem& problem);

/// Reads {"m": 64, "alpha": 0.5}. A dim may be left out where it has one value, a scalar always: it
/// takes its first value. The result is checked as by check_workload.
/// @param path  Of the form, for messages: "workloads[0]".
/// @errors kInvalidArgument.
Result<Workload> workload_from_json(const nlohmann::json& json, const Problem& problem,
                                    const std::string& path);

/// {"m": 64, "n": 64, "alpha": 0.5} as text, for messages and results.
std::string to_json_text(const Workload& workload);

/// @errors kInvalidArgument: a value that the dim does not allow, or `valid` does not hold.
Status check_workload(const Problem& problem, const Workload& workload);

/// The problem's `flops` (or `bytes`) on a workload; nothing when the problem does not say.
/// @errors kInvalidArgument: the expression fails.
Result<std::optional<std::int64_t>> flops_of(const Problem& problem, const Workload& workload);
Result<std::optional<std::int64_t>> bytes_of(const Problem& problem, const Workload& workload);

/// Elements of a buffer argument; saturates at the largest int64.
/// @errors kInvalidArgument: its shape fails.
Result<std::int64_t> elements_of(const ArgSpec& arg, const Bindings& bindings);

/// Elements of all buffer arguments together; saturates at the largest int64.
/// @errors kInvalidArgument: a shape fails.
Result<std::int64_t> elements_of(const Problem& problem, const Workload& workload);

/// How costly a workload is, for choosing small ones: `flops` above 0, else elements_of.
Result<std::int64_t> cost_of(const Problem& problem, const Workload& workload);

/// The one with the least cost_of; the first of equals.
/// @errors kInvalidArgument: the list is empty, or an expression fails.
Result<Workload> smallest_workload(const Problem& problem, const std::vector<Workload>& workloads);

/// Up to `count` workloads that are allowed but not listed: first the smallest values of all open
/// dims, then sizes from all over the domain, drawn with `seed`: beside a listed one, log-uniform,
/// multiples of 2, 4, 32 and 256, and above the largest. They cost about as little as the cheapest
/// of `listed`; only the last kind may cost more. Empty when no dim is open.
/// @param listed  Those that are run, shrunk ones among them; not empty.
/// @errors kInvalidArgument: an expression fails.
Result<std::vector<Workload>> hidden_workloads(const Problem& problem,
                                               const std::vector<Workload>& listed,
                                               std::size_t count, std::uint64_t seed);

struct UnsupportedWorkload {
  Workload workload;
  std::string constraint;  ///< The one that it breaks, as written.
};

struct Coverage {
  std::vector<Workload> run;                     ///< Those that the kernel's constraints allow.
  std::vector<UnsupportedWorkload> unsupported;  ///< Those that they exclude.
};

/// Splits `workloads` by the kernel's constraints.
/// @errors kInvalidArgument: a constraint fails; "no workload left by constraints" when none
/// remains
///         of a list that was not empty.
Result<Coverage> cover(const Problem& problem, const Kernel& kernel,
                       const std::vector<Workload>& workloads, const Params& params);

/// The most that an emulated device runs, in the units of cost_of; for a kernel of tiles every
/// element of a buffer counts as 50 more.
inline constexpr std::int64_t kEmulatedCostLimit = 200'000'000;

struct Shrunk {
  Workload workload;
  std::optional<Workload> from;  ///< The workload that was asked for, when it was replaced.
};

/// Replaces a workload above kEmulatedCostLimit by a smaller one that the dims, `valid` and the
/// constraints allow. Tile by tile (256, 128, 64, then 1) the cheapest choice whose dims are at
/// least the tile (or as they were, where smaller) is taken, the first one within the limit; so
/// that a tiled kernel still has whole tiles to run. When none is within the limit, the cheapest of
/// all.
/// @errors kInvalidArgument: an expression fails.
Result<Shrunk> shrink_for_emulation(const Problem& problem, const Kernel& kernel,
                                    const Params& params, const Workload& workload);

/// The same with a limit of the caller's, in the units of cost_of.
Result<Shrunk> shrink_below(const Problem& problem, const Kernel& kernel, const Params& params,
                            const Workload& workload, std::int64_t limit);

}  // namespace ws
