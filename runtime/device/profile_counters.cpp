#include "runtime/device/profile_counters.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ws {
namespace {

/// The rows of one kind as numbers: every counter is one.
template <typename Row>
std::size_t words_of(const std::vector<Row>& rows) {
  static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % sizeof(std::uint64_t) == 0);
  return rows.size() * (sizeof(Row) / sizeof(std::uint64_t));
}

template <typename Row>
void add_rows(std::vector<Row>& to, const std::vector<Row>& from) {
  auto* const sums = reinterpret_cast<std::uint64_t*>(to.data());
  const auto* const more = reinterpret_cast<const std::uint64_t*>(from.data());
  for (std::size_t i = 0; i < words_of(to); ++i) {
    sums[i] += more[i];
  }
}

template <typename Row>
void append(std::string& frame, const std::vector<Row>& rows) {
  frame.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row));
}

template <typename Row>
void take(std::string_view& frame, std::vector<Row>& rows) {
  const std::size_t bytes = rows.size() * sizeof(Row);
  if (bytes != 0) {
    std::memcpy(rows.data(), frame.data(), bytes);
  }
  frame.remove_prefix(bytes);
}

}  // namespace

void StepCounters::add(const StepCounters& other) {
  blocks += other.blocks;
  sampled += other.sampled;
  work += other.work;
  sampled_work += other.sampled_work;
  longest_work = std::max(longest_work, other.longest_work);
  chain += other.chain;
  hottest += other.hottest;  // Each thread's hottest sector may be the same one.
}

void ProfileCounters::add(const ProfileCounters& other) {
  add_rows(stretches, other.stretches);
  add_rows(accesses, other.accesses);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].add(other.steps[i]);
  }
}

std::string encode(const ProfileCounters& counters) {
  std::string frame;
  append(frame, counters.stretches);
  append(frame, counters.accesses);
  append(frame, counters.steps);
  return frame;
}

Status decode_counters(std::string_view frame, ProfileCounters& counters) {
  const std::size_t words =
      words_of(counters.stretches) + words_of(counters.accesses) + words_of(counters.steps);
  if (frame.size() != words * sizeof(std::uint64_t)) {
    return fail(ErrorCode::kInternal, "counters that do not belong to the kernel");
  }
  take(frame, counters.stretches);
  take(frame, counters.accesses);
  take(frame, counters.steps);
  return {};
}

}  // namespace ws
