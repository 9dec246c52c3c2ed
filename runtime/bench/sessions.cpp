#include "runtime/bench/sessions.h"

#include <cmath>
#include <map>

#include "runtime/bench/statistics.h"

namespace ws {
namespace {

/// The normal distribution exceeds it in one of 30,000 to each side. Sessions of a busy machine
/// have longer tails than that: their simulation in the test makes it about one of 10,000.
constexpr double kRare = 4.0;

struct Group {
  double sum = 0;
  double count = 0;
};

}  // namespace

SessionsSummary summarise(std::span<const SessionRatio> sessions) {
  std::map<std::size_t, Group> workloads;
  double squares = 0;
  for (const SessionRatio& session : sessions) {
    workloads[session.workload].sum += session.kernel;
    ++workloads[session.workload].count;
    squares += session.twin * session.twin;
  }
  SessionsSummary summary;
  for (const auto& [workload, group] : workloads) {
    summary.log_ratio += group.sum / group.count / static_cast<double>(workloads.size());
  }
  for (const SessionRatio& session : sessions) {
    const Group& group = workloads[session.workload];
    squares += std::pow(session.kernel - group.sum / group.count, 2);
  }
  const auto count = static_cast<double>(sessions.size());
  const double freedom = 2 * count - static_cast<double>(workloads.size());
  const double deviation = std::sqrt(squares / freedom);
  summary.noise_floor = std::expm1(student_quantile(kRare, freedom) * deviation / std::sqrt(count));
  return summary;
}

double floor_of_part(double noise_floor, std::size_t groups) {
  return std::expm1(std::log1p(noise_floor) * std::sqrt(static_cast<double>(groups)));
}

}  // namespace ws
