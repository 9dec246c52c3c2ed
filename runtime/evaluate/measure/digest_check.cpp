#include "runtime/evaluate/measure/digest_check.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

/// How far a sum of errors with random signs may be off, in roots of the sum of their squares.
constexpr double kSigns = 8;
/// The sums themselves are rounded, and added up in any order.
constexpr double kRounding = 1e-9;

class DigestCheck {
 public:
  DigestCheck(const BufferSpec& spec, const OutputDigest& want, const ErrorBound& bound)
      : elements_(static_cast<double>(spec.elements)),
        columns_(spec.shape.empty() ? 1 : static_cast<double>(spec.shape.back())),
        want_(want),
        bound_(bound) {
    for (std::size_t part = 0; part < kDigestParts; ++part) {
      all_squares_ += squares(part);
    }
  }

  [[nodiscard]] bool agrees(std::size_t part, double got) const {
    const OutputDigest::Part& right = want_.parts.at(part);
    if (!std::isfinite(right.signed_sum) || !std::isfinite(right.squares)) {
      return true;
    }
    const double count = elements_ / kDigestParts + 1;
    double errors = 0;
    if (!bound_.exact) {
      // The bound of an element is at most the sum of three parts. No value is larger than the root
      // of all squares.
      errors = 3 * (bound_.rtol * bound_.rtol * right.squares +
                    bound_.atol * bound_.atol * scales(part, count) +
                    bound_.sum * bound_.sum * count * all_squares_);
    }
    const double allowed =
        kSigns * std::sqrt(errors) + kRounding * std::sqrt(count * right.squares);
    return std::abs(got - right.signed_sum) <= allowed;  // False for NaN.
  }

 private:
  /// 0 outside the buffer.
  [[nodiscard]] double squares(std::size_t part) const {
    const double value = part < kDigestParts ? want_.parts.at(part).squares : 0;
    return std::isfinite(value) ? value : 0;
  }

  /// The squares of the scales that the part's elements are measured by, added up: at most that.
  [[nodiscard]] double scales(std::size_t part, double count) const {
    if (columns_ < static_cast<double>(kTellingElements)) {
      return all_squares_ * count / elements_;  // They have the whole output's.
    }
    if (columns_ * kDigestParts > elements_) {
      return all_squares_ * std::min(1.0, count / columns_);  // A row goes over several parts.
    }
    return squares(part - 1) + squares(part) + squares(part + 1);
  }

  double elements_;
  double columns_;
  double all_squares_ = 0;
  const OutputDigest& want_;
  const ErrorBound& bound_;
};

}  // namespace

bool digests_agree(const BufferSpec& spec, const OutputDigest& got, const OutputDigest& want,
                   const ErrorBound& bound) {
  const DigestCheck check(spec, want, bound);
  for (std::size_t part = 0; part < kDigestParts; ++part) {
    if (!check.agrees(part, got.parts.at(part).signed_sum)) {
      return false;
    }
  }
  return true;
}

}  // namespace ws
