#include "runtime/lift/orchestration/role.h"

#include <iterator>
#include <map>

namespace ws::lift {

Role Role::of(const Lanes& active, std::size_t threads) {
  const Workers found = workers_of(active, threads);
  if (found.kind <= WorkerKind::kThreads || found.kind == WorkerKind::kBlock) {
    return {WorkerKind::kBlock, {}, active, threads};
  }
  Role role{found.kind,
            {},
            active,
            static_cast<std::size_t>(found.threads / (found.last - found.first + 1))};
  for (std::int64_t i = found.first; i <= found.last; ++i) {
    role.numbers.push_back(static_cast<int>(i));
  }
  return role;
}

std::vector<std::int64_t> Role::counts(const Lanes& active, std::size_t threads) const {
  std::vector<std::int64_t> counts;
  std::size_t last = threads;
  for (std::size_t lane = 0; lane < threads; ++lane) {
    if (lane_of(lanes, lane) == 0) {
      continue;
    }
    if (counts.empty() || lane / unit != last) {
      counts.push_back(0);
      last = lane / unit;
    }
    counts.back() += lane_of(active, lane) != 0 ? 1 : 0;
  }
  return counts;
}

std::string Role::number_text(const Lanes& values) const {
  std::map<std::int64_t, std::int64_t> known;
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    if (lane_of(lanes, lane) == 0) {
      continue;
    }
    const auto worker = static_cast<std::int64_t>(lane / unit);
    if (known.emplace(worker, values[lane]).first->second != values[lane]) {
      return {};
    }
  }
  if (known.size() < 2) {
    return known.empty() ? "" : std::to_string(known.begin()->second);
  }
  const auto [first, start] = *known.begin();
  const std::int64_t step = std::next(known.begin())->second - start;
  for (const auto& [worker, value] : known) {
    if (value != start + step * (worker - first) || kind != WorkerKind::kWarpgroup) {
      return {};
    }
  }
  const std::int64_t offset = start - step * first;
  const std::string scaled = step == 1 ? "wg" : "wg * (" + std::to_string(step) + ")";
  return step == 0     ? std::to_string(start)
         : offset == 0 ? scaled
         : offset < 0  ? "(" + scaled + " - " + std::to_string(-offset) + ")"
                       : "(" + scaled + " + " + std::to_string(offset) + ")";
}

bool are_workers(const Lanes& active, std::size_t threads) {
  const Workers found = workers_of(active, threads);
  return found.kind == WorkerKind::kWarpgroup || found.kind == WorkerKind::kWarp ||
         (found.kind == WorkerKind::kThread && found.first == found.last);
}

}  // namespace ws::lift
