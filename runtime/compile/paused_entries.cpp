#include "runtime/compile/paused_entries.h"

namespace ws {

Result<std::optional<std::string>> PausedEntries::find(const std::string& key) {
  if (paused()) {
    return std::nullopt;
  }
  auto found = place_->find(key);
  note(!found);
  return found;
}

Status PausedEntries::put(const std::string& key, std::string_view bytes) {
  if (paused()) {
    return {};
  }
  Status put = place_->put(key, bytes);
  note(!put);
  return put;
}

void PausedEntries::note(bool failed) {
  if (failed) {
    asked_again_ = Clock::now().time_since_epoch() + pause_;
  }
}

}  // namespace ws
