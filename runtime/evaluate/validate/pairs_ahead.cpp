#include "runtime/evaluate/validate/pairs_ahead.h"

#include <system_error>
#include <utility>

namespace ws {

PairsAhead::PairsAhead(std::size_t count, bool ahead, Open open, const std::stop_token& stop)
    : count_(count),
      ahead_(ahead),
      open_(std::move(open)),
      stopped_(stop, [this] { ending_.request_stop(); }) {}

PairsAhead::~PairsAhead() {
  ending_.request_stop();
  if (coming_.valid()) {
    coming_.wait();
  }
}

Result<ArenaPair::Opened> PairsAhead::next() {
  Result<ArenaPair::Opened> opened =
      coming_.valid() ? coming_.get() : open_(opened_, ending_.get_token());
  ++opened_;
  if (ahead_ && opened && opened->pair && opened_ < count_) {
    start_next();
  }
  return opened;
}

void PairsAhead::start_next() {
  try {
    coming_ =
        std::async(std::launch::async, [this] { return open_(opened_, ending_.get_token()); });
  } catch (const std::system_error&) {
    return;  // No thread is to be had: next() opens it.
  }
}

}  // namespace ws
