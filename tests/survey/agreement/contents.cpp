#include "tests/survey/agreement/contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ws::survey {
namespace {

/// The change that rounding in another order may make, as a share of a value or of the buffer's
/// root mean square.
double tolerance(DType type) {
  return is_float(type) ? std::sqrt(unit_roundoff(type)) / (type == DType::kF32 ? 4 : 1) : 0;
}

bool close(double one, double other, double slack) {
  return one == other || (std::isnan(one) && std::isnan(other)) || std::abs(one - other) <= slack;
}

}  // namespace

Contents contents_of(const Arena& arena) {
  Contents contents;
  for (std::size_t i = 0; i < arena.size(); ++i) {
    const std::span<std::byte> bytes = arena.buffer(i);
    contents.emplace_back(bytes.begin(), bytes.end());
  }
  return contents;
}

std::string difference(const ResolvedPlan& plan, const Contents& one, const Contents& other) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    if (one[i] == other[i]) {
      continue;
    }
    const auto elements = static_cast<std::size_t>(buffer.elements);
    const auto value = [&](const Contents& contents, std::size_t at) {
      return load_element(buffer.type, contents[i].data(), at);
    };
    double squares = 0;
    for (std::size_t at = 0; at < elements; ++at) {
      const double x = value(one, at);
      squares += std::isfinite(x) ? x * x : 0;
    }
    const double rms = std::sqrt(squares / static_cast<double>(elements));
    for (std::size_t at = 0; at < elements; ++at) {
      const double x = value(one, at);
      const double y = value(other, at);
      if (!close(x, y, tolerance(buffer.type) * std::max({rms, std::abs(x), std::abs(y)}))) {
        return buffer.name + "[" + std::to_string(at) + "]: " + std::to_string(x) + " and " +
               std::to_string(y);
      }
    }
  }
  return {};
}

std::size_t changed(const ResolvedPlan& plan, const Contents& before, const Contents& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::size_t size = size_of(plan.buffers[i].type);
    for (std::size_t at = 0; at < before[i].size(); at += size) {
      count += std::memcmp(&before[i][at], &after[i][at], size) == 0 ? 0U : 1U;
    }
  }
  return count;
}

}  // namespace ws::survey
