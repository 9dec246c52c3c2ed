#include "runtime/ir/exec/knowledge.h"

#include <algorithm>

namespace ws::ir {
namespace {

constexpr std::uint32_t kWordBits = 64;

}  // namespace

bool Knowledge::has(const Bits& bits, std::uint32_t index) {
  return index / kWordBits < bits.size() &&
         (bits[index / kWordBits] >> (index % kWordBits) & 1U) != 0;
}

void Knowledge::set(Bits& bits, std::uint32_t index) {
  if (index / kWordBits >= bits.size()) {
    bits.resize(index / kWordBits + 1);
  }
  bits[index / kWordBits] |= std::uint64_t{1} << (index % kWordBits);
}

void Knowledge::join(Bits& into, const Bits& other) {
  into.resize(std::max(into.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) {
    into[i] |= other[i];
  }
}

void Knowledge::join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& other) {
  into.resize(std::max(into.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) {
    into[i] = std::max(into[i], other[i]);
  }
}

void Knowledge::advance(std::size_t worker) {
  clock_.resize(std::max(clock_.size(), worker + 1));
  ++clock_[worker];
}

void Knowledge::fence() {
  join(fenced_clock_, clock_);
  join(fenced_done_, done_);
}

void Knowledge::join(const Knowledge& other) {
  join(clock_, other.clock_);
  join(fenced_clock_, other.fenced_clock_);
  join(done_, other.done_);
  join(fenced_done_, other.fenced_done_);
}

}  // namespace ws::ir
