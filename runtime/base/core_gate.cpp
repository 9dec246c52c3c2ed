#include "runtime/base/core_gate.h"

namespace ws {

Result<CoreGate::Hold> CoreGate::enter(const std::stop_token& stop, bool alone) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = next_++;
  line_.push_back(number);
  const bool in = changed_.wait(
      lock, stop, [&] { return line_.front() == number && !owned_ && (!alone || sharing_ == 0); });
  std::erase(line_, number);
  changed_.notify_all();  // The thread that is first now goes on.
  if (!in) {
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  owned_ = alone;
  sharing_ += alone ? 0 : 1;
  return Hold(this, alone);
}

void CoreGate::leave(bool alone) {
  const std::lock_guard lock(mutex_);
  if (alone) {
    owned_ = false;
  } else {
    --sharing_;
  }
  changed_.notify_all();
}

}  // namespace ws
