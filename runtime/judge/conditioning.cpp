#include "runtime/judge/conditioning.h"

#include <algorithm>
#include <cmath>

#include "runtime/judge/layout.h"
#include "runtime/judge/noise.h"
#include "runtime/judge/random.h"
#include "runtime/judge/tolerance.h"

namespace ws {
namespace {

/// Kernels round in other places than a nudge does, and some draws of either are lucky: honest f32
/// attention needed up to 0.8 of the largest of three moves.
constexpr double kSlackFactor = 4;
constexpr double kOddScale = 1.0 / 64;
/// Honest sums of n terms, added one by one, stay below 5 * u * sqrt(n).
constexpr double kSumFactor = 8;

}  // namespace

double backward_error(DType output, double reduction_length) {
  const double unit = unit_roundoff(output == DType::kF64 ? DType::kF64 : DType::kF32);
  return unit * std::clamp(std::sqrt(reduction_length), 2.0, 16.0);
}

void nudge(const BufferSpec& spec, std::span<std::byte> bytes, double relative,
           std::uint64_t seed) {
  if (!is_float(spec.type) || unit_roundoff(spec.type) >= relative) {
    return;
  }
  const RowView view(spec);
  Random random(seed);
  std::uint32_t signs = 0;
  for (std::int64_t element = 0; element < spec.elements; ++element) {
    signs = element % 32 == 0 ? random.next_u32() : signs >> 1U;
    const auto at = static_cast<std::size_t>(view.offset_of(element));
    const double value = load_element(spec.type, bytes.data(), at);
    store_element(spec.type, bytes.data(), at,
                  value * ((signs & 1U) != 0 ? 1 + relative : 1 - relative));
  }
}

void scale_odd_columns(const BufferSpec& spec, std::span<std::byte> bytes) {
  if (!is_float(spec.type)) {
    return;
  }
  const RowView view(spec);
  const double factor = 1 + std::max(kOddScale, 2 * unit_roundoff(spec.type));
  for (std::int64_t element = 0; element < spec.elements; ++element) {
    if (element % view.columns() % 2 == 1) {
      const auto at = static_cast<std::size_t>(view.offset_of(element));
      store_element(spec.type, bytes.data(), at,
                    factor * load_element(spec.type, bytes.data(), at));
    }
  }
}

bool shows_size(const BufferSpec& spec, std::span<const std::byte> want) {
  const RowView view(spec);
  std::int64_t telling = 0;
  for (std::int64_t element = 0; element < spec.elements && telling < kTellingElements; ++element) {
    const auto offset = static_cast<std::size_t>(view.offset_of(element));
    telling += load_element(spec.type, want.data(), offset) != 0 ? 1 : 0;
  }
  return telling == kTellingElements;
}

bool shows_usual_size(const BufferSpec& spec, std::span<const std::byte> want) {
  return RowView(spec).rows() >= kTellingElements && shows_size(spec, want);
}

double largest_finite(const BufferSpec& spec, std::span<const std::byte> bytes) {
  const RowView view(spec);
  double largest = 0;
  for (std::int64_t element = 0; element < spec.elements; ++element) {
    const double value = std::abs(
        load_element(spec.type, bytes.data(), static_cast<std::size_t>(view.offset_of(element))));
    largest = std::isfinite(value) ? std::max(largest, value) : largest;
  }
  return largest;
}

RowSlack::RowSlack(const BufferSpec& spec, std::span<const std::byte> want)
    : spec_(spec),
      want_(want.begin(), want.end()),
      rows_(static_cast<std::size_t>(RowView(spec).rows()), 0.0),
      own_(static_cast<std::size_t>(spec.elements), 0.0F),
      moves_(rows_.size(), 0.0) {}

std::vector<double> RowSlack::moved_by(std::int64_t row, std::span<const std::byte> moved) const {
  const RowView view(spec_);
  std::vector<double> from(static_cast<std::size_t>(view.columns()));
  std::vector<double> to(from.size());
  load_row(spec_.type, want_.data(), view.row_offset(row), view.column_stride(), from);
  load_row(spec_.type, moved.data(), view.row_offset(row), view.column_stride(), to);
  if (!std::ranges::all_of(to, [](double value) { return std::isfinite(value); })) {
    return {};
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = std::abs(to[i] - from[i]);
  }
  return to;
}

void RowSlack::note_move(std::int64_t row, std::vector<double> amounts) {
  const auto middle = amounts.begin() + static_cast<std::ptrdiff_t>(amounts.size() / 2);
  std::nth_element(amounts.begin(), middle, amounts.end());
  double& move = moves_[static_cast<std::size_t>(row)];
  move = std::max(move, amounts.empty() ? 0 : *middle);
}

void RowSlack::add(std::span<const std::byte> moved) {
  const RowView view(spec_);
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    std::vector<double> amounts = moved_by(row, moved);
    float* own = own_.data() + row * view.columns();
    double most = 0;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      most = std::max(most, amounts[i]);
      own[i] = std::max(own[i], static_cast<float>(kSlackFactor * amounts[i]));
    }
    double& slack = rows_[static_cast<std::size_t>(row)];
    slack = std::max(slack, kSlackFactor * most);
    note_move(row, std::move(amounts));
  }
}

void RowSlack::add_moves(std::span<const std::byte> moved) {
  for (std::int64_t row = 0; row < RowView(spec_).rows(); ++row) {
    note_move(row, moved_by(row, moved));
  }
}

bool RowSlack::is_undecided() const {
  const RowView view(spec_);
  std::vector<double> sizes;
  std::vector<double> elements(static_cast<std::size_t>(view.columns()));
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    load_row(spec_.type, want_.data(), view.row_offset(row), view.column_stride(), elements);
    double size = 0;
    for (const double element : elements) {
      size = std::isfinite(element) ? std::max(size, std::abs(element)) : size;
    }
    sizes.push_back(size);
  }
  const double largest = sizes.empty() ? 0 : std::ranges::max(sizes);
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    if (sizes[row] > 0 && sizes[row] <= kNoise * largest && moves_[row] < kNoDigits * sizes[row]) {
      return true;
    }
  }
  return false;
}

void RowSlack::add_sums(std::span<const std::byte> moved) {
  const RowView view(spec_);
  const double unit = unit_roundoff(spec_.type == DType::kF64 ? DType::kF64 : DType::kF32);
  const double error = kSumFactor * unit * std::sqrt(static_cast<double>(view.columns()));
  std::vector<double> from(static_cast<std::size_t>(view.columns()));
  std::vector<double> to(from.size());
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    load_row(spec_.type, want_.data(), view.row_offset(row), view.column_stride(), from);
    load_row(spec_.type, moved.data(), view.row_offset(row), view.column_stride(), to);
    double largest = 0;
    double even_move = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      largest = std::max(largest, std::abs(from[i]));
      even_move = i % 2 == 0 ? std::max(even_move, std::abs(to[i] - from[i])) : even_move;
    }
    const bool sums = even_move > 4 * unit_roundoff(spec_.type) * largest;
    if (sums && std::isfinite(largest) && std::isfinite(even_move)) {
      rows_[static_cast<std::size_t>(row)] += error * largest;
    }
  }
}

}  // namespace ws
