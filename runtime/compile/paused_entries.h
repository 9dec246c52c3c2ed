// A place for shared entries that is left alone for a while after an error.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "runtime/base/call_context.h"
#include "runtime/compile/shared_entries.h"

namespace ws {

/// A compile does not wait again and again for a database that is away: to find that out may take
/// seconds each time. While the place is left alone, nothing is in it, and what is put is lost.
class PausedEntries : public EntryPlace {
 public:
  static constexpr std::chrono::milliseconds kPause{10'000};

  explicit PausedEntries(std::shared_ptr<EntryPlace> place,
                         std::chrono::milliseconds pause = kPause)
      : place_(std::move(place)),
        pause_(pause) {}

  Result<std::optional<std::string>> find(const std::string& key) override;
  Status put(const std::string& key, std::string_view bytes) override;

 private:
  [[nodiscard]] bool paused() const {
    return Clock::now().time_since_epoch() < asked_again_.load();
  }

  void note(bool failed);

  const std::shared_ptr<EntryPlace> place_;
  const std::chrono::milliseconds pause_;
  std::atomic<Clock::duration> asked_again_ = Clock::duration::min();
};

}  // namespace ws
