#include "runtime/base/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ws {
namespace {

std::string written(double value, std::chars_format format, int digits) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

}  // namespace

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return 0;
  }
  constexpr int kDigits = 4;
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::fabs(value))));
  return std::isfinite(scale) && scale != 0 ? std::round(value * scale) / scale : value;
}

std::string fixed_digits(double value, int digits) {
  return written(value, std::chars_format::fixed, digits);
}

std::string significant_digits(double value, int digits) {
  return written(value, std::chars_format::general, digits);
}

std::string three_digits(double value) {
  return significant_digits(value, 3);
}

}  // namespace ws
