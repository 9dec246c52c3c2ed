#include "runtime/ir/check/affine.h"

#include <atomic>

namespace ws::ir {
namespace {

// sum += factor * value; false when it leaves 64 bits.
bool add_product(std::int64_t& sum, std::int64_t value, std::int64_t factor) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, factor, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

Affine Affine::unknown() {
  static std::atomic<std::uint64_t> next = 0;
  Affine result;
  result.terms_[next.fetch_add(1)] = 1;
  return result;
}

std::optional<std::int64_t> Affine::constant() const {
  return terms_.empty() ? std::optional(constant_) : std::nullopt;
}

Affine Affine::plus(const Affine& other, std::int64_t factor) const {
  Affine result = *this;
  if (!add_product(result.constant_, other.constant_, factor)) {
    return unknown();
  }
  for (const auto& [symbol, coefficient] : other.terms_) {
    std::int64_t& sum = result.terms_[symbol];
    if (!add_product(sum, coefficient, factor)) {
      return unknown();
    }
    if (sum == 0) {
      result.terms_.erase(symbol);
    }
  }
  return result;
}

Affine Affine::times(std::int64_t factor) const {
  return Affine(0).plus(*this, factor);
}

}  // namespace ws::ir
