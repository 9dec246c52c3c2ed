// The kernels of a problem that passed or failed on a device, in the order of the index.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/listing.h"
#include "runtime/archive/search/page_mark.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

using MarkedKernel = std::pair<PageMark, ListedKernel>;

/// The kernels of a problem in one state on a device.
struct Judged {
  std::int64_t problem = 0;
  State state = State::kPassed;
  const std::string& device;
};

/// The problem's number in the index; 0: no such problem.
Result<std::int64_t> number_of_problem(Connection& connection, const std::string& id);

/// The devices on which kernels of a problem are in a state, by name.
Result<std::vector<std::string>> devices_with(Connection& connection, std::int64_t problem,
                                              State state);

/// Those with a ratio against the reference come first; a mark without one is behind them.
/// @param from  Null: from the beginning.
Result<std::vector<MarkedKernel>> read_judged_rows(Connection& connection, const Judged& judged,
                                                   const PageMark* from, int most);

/// As ArchiveListing::fastest().
Result<std::vector<ListedKernel>> fastest_of(Connection& connection, std::int64_t problem);

}  // namespace ws::store
