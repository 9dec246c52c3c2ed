#include "runtime/handover/proof.h"

#include <algorithm>

namespace ws {
namespace {

DimRange declared_range(const DimSpec& dim) {
  DimRange range{.dim = dim.name, .listed = {}, .multiple_of = 1};
  if (dim.open) {
    range.low = dim.min;
    range.high = dim.max;
    range.multiple_of = dim.multiple_of;
  } else {
    range.listed = dim.values;
  }
  return range;
}

/// The sizes of a dim that ran, ascending and each once.
std::vector<std::int64_t> sizes_of(const std::string& dim, const std::vector<Workload>& ran) {
  std::vector<std::int64_t> sizes;
  for (const Workload& workload : ran) {
    if (const auto at = workload.dims.find(dim); at != workload.dims.end()) {
      sizes.push_back(at->second);
    }
  }
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

}  // namespace

std::string DimRange::text() const {
  if (listed.empty()) {
    return std::to_string(low) + " to " + std::to_string(high) +
           (multiple_of > 1 ? ", multiples of " + std::to_string(multiple_of) : "");
  }
  std::string all;
  for (const std::int64_t size : listed) {
    all += (all.empty() ? "" : ", ") + std::to_string(size);
  }
  return all;
}

std::vector<DimRange> ranges_of(const Problem& problem, const std::vector<Workload>& ran,
                                const std::vector<std::string>& fixed, const Workload& workload) {
  std::vector<DimRange> ranges;
  for (const DimSpec& dim : problem.dims) {
    DimRange range = declared_range(dim);
    if (std::ranges::find(fixed, dim.name) != fixed.end()) {
      range.listed = {workload.dims.at(dim.name)};
    } else if (std::vector<std::int64_t> sizes = sizes_of(dim.name, ran); !sizes.empty()) {
      range.low = sizes.front();
      range.high = sizes.back();
      range.listed = dim.open ? std::vector<std::int64_t>() : std::move(sizes);
    }
    std::ranges::sort(range.listed);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace ws
