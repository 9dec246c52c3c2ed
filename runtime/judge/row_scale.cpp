#include "runtime/judge/row_scale.h"

#include <cmath>

namespace ws {

void ScaleSum::add(std::span<const double> values) {
  double most = largest_;
  for (const double value : values) {
    most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
    zeros_ += value == 0 ? 1 : 0;
  }
  if (most == 0) {
    count_ += static_cast<double>(values.size());
    return;
  }
  sum_ *= (largest_ / most) * (largest_ / most);
  largest_ = most;
  for (const double value : values) {
    const double part = std::isfinite(value) ? value / most : 0;
    sum_ += part * part;
  }
  count_ += static_cast<double>(values.size());
}

void ScaleSum::add(const ScaleSum& other) {
  const double most = std::max(largest_, other.largest_);
  if (most > 0) {
    sum_ = sum_ * (largest_ / most) * (largest_ / most) +
           other.sum_ * (other.largest_ / most) * (other.largest_ / most);
    largest_ = most;
  }
  count_ += other.count_;
  zeros_ += other.zeros_;
}

double ScaleSum::rms() const {
  return count_ == 0 ? 0 : largest_ * std::sqrt(sum_ / count_);
}

}  // namespace ws
