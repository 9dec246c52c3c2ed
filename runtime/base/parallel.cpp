#include "runtime/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/base/hash.h"

namespace ws {

unsigned core_count() {
  static const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  return count;
}

namespace {

/// One for each part but one, or each core but this one. Where there are no more threads, those
/// that there are have to do.
std::vector<std::jthread> start_others(std::size_t parts, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  const std::size_t wanted = std::min<std::size_t>(parts, core_count());
  try {
    for (std::size_t i = 1; i < wanted; ++i) {
      others.emplace_back(work);
    }
  } catch (const std::system_error&) {
    return others;
  }
  return others;
}

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      body(i);
    }
  };
  const std::vector<std::jthread> others = start_others(count, work);
  work();
}

Status make_ahead(std::size_t count, const std::function<void(std::size_t)>& make,
                  const std::function<Status(std::size_t)>& use) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::atomic<bool>> made(count);
  const auto make_next = [&] {
    const std::size_t i = next++;
    if (i < count) {
      make(i);
      made[i] = true;
      made[i].notify_one();
    }
    return i < count;
  };
  const std::vector<std::jthread> others = start_others(count, [&] {
    while (make_next()) {
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    while (!made[i]) {
      if (!make_next()) {
        made[i].wait(false);
      }
    }
    if (const Status status = use(i); !status) {
      next = count;
      return status;
    }
  }
  return {};
}

std::uint64_t wide_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  std::vector<std::uint64_t> parts((bytes.size() + kPart - 1) / kPart);
  parallel_for(parts.size(), [&](std::size_t i) {
    const auto part = bytes.subspan(i * kPart, std::min(kPart, bytes.size() - i * kPart));
    parts[i] = memory_hash(part.data(), part.size(), seed + i);
  });
  return memory_hash(parts.data(), parts.size() * sizeof(std::uint64_t), seed);
}

}  // namespace ws
