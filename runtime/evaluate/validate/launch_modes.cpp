#include "runtime/evaluate/validate/launch_modes.h"

#include <algorithm>

namespace ws {
namespace {

/// A run in ascending order, one in descending and one in random order.
constexpr std::size_t kOrders = 3;

RunOrder order_of_run(std::size_t index) {
  return index == 0       ? RunOrder::kAscending
         : index % 2 == 1 ? RunOrder::kDescending
                          : RunOrder::kRandom;
}

}  // namespace

std::vector<RunMode> launch_modes(std::size_t index, std::size_t count, std::size_t launched,
                                  OrderChoice orders) {
  std::size_t first = index;
  std::size_t end = index + 1;
  if (orders == OrderChoice::kEvery) {
    first = 0;
    end = kOrders;
  } else if (end == count) {
    end = std::max(count, kOrders);
  }
  std::vector<RunMode> modes;
  for (std::size_t i = first; i < end; ++i) {
    modes.push_back({.order = order_of_run(i),
                     .ascending_blocks = orders == OrderChoice::kAscendingBlocks,
                     .keep_variables = (launched + i - first) % 2 == 1});
  }
  return modes;
}

bool begins_with_zeros(const ValidationPlan& plan, std::size_t index) {
  const auto same = [&](const ValidationRun& run) {
    return run.workload == plan.runs.front().workload && run.distribution != Distribution::kLarge;
  };
  const auto later = plan.runs.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return same(plan.runs[index]) && std::none_of(later, plan.runs.end(), same);
}

std::string order_message(RunOrder order, std::string_view detail, bool rounding) {
  return "the result depends on the order in which threads or blocks run: with the same inputs it "
         "is right in ascending order and wrong in " +
         std::string(name_of(order)) +
         (rounding ? " order, by little: sums that are rounded in another order are not precise "
                     "enough; "
                   : " order, so a barrier or an atomic is missing; ") +
         std::string(detail);
}

std::string wrong_orders_message(std::string_view detail) {
  return "the result depends on the order in which threads or blocks run: with the same inputs it "
         "is wrong in ascending order, and other values come out in descending order; " +
         std::string(detail);
}

std::string hang_message(RunOrder order, std::string_view detail) {
  return "whether the kernel ends depends on the order in which the threads of a block run: with "
         "the same inputs it ends in ascending order and not in " +
         std::string(name_of(order)) + " order, in which blocks began in ascending order too; " +
         std::string(detail);
}

std::string zeros_message(std::string_view detail) {
  return "the result depends on memory that the kernel has not written: with the same inputs it is "
         "right where outputs and scratch hold random bits, and wrong where they are all zeros, as "
         "a fresh process's memory is; " +
         std::string(detail);
}

std::string moved_message(FindingCode part, std::string_view detail) {
  const bool time = part == FindingCode::kTimeDependent;
  return "the result depends on " +
         std::string(time ? "the time" : "where the kernel's memory lies") +
         ": with the same inputs the kernel is right in one launch and wrong in another one, " +
         (time ? "whose clock began elsewhere; "
               : "whose buffers and local arrays lie elsewhere; ") +
         std::string(detail);
}

std::string state_message(const ResolvedPlan& plan, const Image& image,
                          std::uint32_t changed_variable, std::string_view detail) {
  std::string names;
  if (changed_variable < image.symbols.size()) {
    names = "`" + image.symbols[changed_variable].name + "`";
  }
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferRole::kScratch) {
      names += (names.empty() ? "`" : ", `") + buffer.name + "`";
    }
  }
  return "the result depends on the launch before: it is right when the kernel's memory is fresh, "
         "and wrong when " +
         (names.empty() ? "a variable" : names) + " keeps what a launch left there; " +
         std::string(detail);
}

std::vector<FindingCode> notes_of(const CompileOutcome& compiled) {
  const auto& imports = compiled.image.imports;
  bool clock = std::any_of(imports.begin(), imports.end(), [](const auto& import) {
    return import.second == "ws_rt_clock" || import.second == "ws_rt_sleep";
  });
  for (const char* word : {"%clock", "%globaltimer", "%gridid", "nanosleep."}) {
    clock = clock || compiled.ptx.find(word) != std::string::npos;
  }
  std::vector<FindingCode> notes;
  if (clock) {
    notes.push_back(FindingCode::kReadsClock);
  }
  if (compiled.image.looks_at_addresses) {
    notes.push_back(FindingCode::kLooksAtAddresses);
  }
  return notes;
}

}  // namespace ws
