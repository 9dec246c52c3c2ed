#include "runtime/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
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

/// The first exception of several threads, for the one that waits for them.
class FirstError {
 public:
  /// False: it ended in an exception.
  template <typename Body>
  bool keep(const Body& body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = error_ ? error_ : std::current_exception();
      return false;
    }
  }

  void throw_again() {
    const std::lock_guard lock(mutex_);
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;  // guarded by mutex_
};

/// Bytes that one core hashes or copies at a time.
constexpr std::size_t kPart = std::size_t{1} << 20U;

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  FirstError error;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      if (!error.keep([&] { body(i); })) {
        next = count;
      }
    }
  };
  {
    const std::vector<std::jthread> others = start_others(count, work);
    work();
  }
  error.throw_again();
}

std::uint64_t wide_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::vector<std::uint64_t> parts((bytes.size() + kPart - 1) / kPart);
  parallel_for(parts.size(), [&](std::size_t i) {
    const auto part = bytes.subspan(i * kPart, std::min(kPart, bytes.size() - i * kPart));
    parts[i] = memory_hash(part.data(), part.size(), seed + i);
  });
  return memory_hash(parts.data(), parts.size() * sizeof(std::uint64_t), seed);
}

void wide_copy(std::span<const std::byte> from, std::span<std::byte> to) {
  parallel_for((from.size() + kPart - 1) / kPart, [&](std::size_t i) {
    const auto part = from.subspan(i * kPart, std::min(kPart, from.size() - i * kPart));
    std::copy(part.begin(), part.end(), to.begin() + static_cast<std::ptrdiff_t>(i * kPart));
  });
}

}  // namespace ws
