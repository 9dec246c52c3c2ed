#include "runtime/ir/exec/sync.h"

#include <algorithm>
#include <utility>

namespace ws::ir {

void Arrivals::end_phase() {
  before = std::exchange(here, {});
}

bool Mbarrier::try_complete() {
  if (pending != 0 || tx != 0) {
    return false;
  }
  published = std::exchange(arriving, Knowledge());
  expects = {};
  copies = {};
  ++phase;
  arrivals.end_phase();
  pending = expected;
  return true;
}

std::int64_t Mbarrier::last_known(const Knowledge& known) const {
  std::int64_t last = -1;
  for (const auto& [worker, phases] : passed) {
    for (const auto& [epoch, ended] : phases) {
      if (!known.knows(worker, epoch)) {
        break;
      }
      last = std::max(last, ended);
    }
  }
  return last;
}

std::string Mbarrier::missing() const {
  std::string text;
  if (pending > 0) {
    text = std::to_string(pending) + " of " + std::to_string(expected) + " arrivals";
  }
  if (tx != 0) {
    text += (text.empty() ? "" : " and ") +
            (tx > 0 ? std::to_string(tx) + " bytes"
                    : "the expectation of " + std::to_string(-tx) + " bytes");
  }
  return text + " missing";
}

bool NamedBarrier::try_complete() {
  if (arrived < threads) {
    return false;
  }
  published[generation] = std::exchange(arriving, Knowledge());
  ++generation;
  threads = 0;
  arrived = 0;
  arrivals.end_phase();
  return true;
}

}  // namespace ws::ir
