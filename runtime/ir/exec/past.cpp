#include "runtime/ir/exec/past.h"

#include <algorithm>

namespace ws::ir {
namespace {

// Calls each(first, end) for the stretches of a box, as the tensor's elements lie, in their order,
// until it says true. Dimensions that are taken whole, at the end, make stretches longer.
template <typename Each>
bool any_stretch(const Box& box, const Shape& shape, const Each& each) {
  if (std::find(box.count.begin(), box.count.end(), 0) != box.count.end()) {
    return false;
  }
  std::int64_t row = 1;  // Elements of the dimensions after `dims`.
  std::size_t dims = shape.size();
  while (dims > 0 && box.count[dims - 1] == shape[dims - 1]) {
    row *= shape[--dims];
  }
  const std::int64_t length = dims == 0 ? row : box.count[--dims] * row;
  Shape at = box.first;
  while (true) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      first = first * shape[i] + at[i];
    }
    if (each(first, first + length)) {
      return true;
    }
    std::size_t i = dims;
    while (i > 0 && ++at[i - 1] == box.first[i - 1] + box.count[i - 1]) {
      at[i - 1] = box.first[i - 1];
      --i;
    }
    if (i == 0) {
      return false;
    }
  }
}

// The first range that ends after `first`.
template <typename Ranges>
auto reaching(Ranges& taken, std::int64_t first) {
  auto next = taken.upper_bound(first);
  if (next != taken.begin() && std::prev(next)->second.end > first) {
    --next;
  }
  return next;
}

}  // namespace

const PastAccess* Past::conflict(const Access& access, const Shape& shape) const {
  for (const Layer& layer : layers_) {
    if (layer.kind.commutes(access)) {
      continue;
    }
    const PastAccess* found = nullptr;
    any_stretch(access.box, shape, [&](std::int64_t first, std::int64_t end) {
      const auto next = reaching(layer.taken, first);
      if (next != layer.taken.end() && next->first < end) {
        found = &uses_[next->second.who];
      }
      return found != nullptr;
    });
    if (found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

void Past::add(PastAccess used, const Shape& shape) {
  const Access& access = used.access;
  const auto same = [&](const Layer& layer) {
    return layer.kind.write == access.write && layer.kind.atomic == access.atomic;
  };
  auto layer = std::find_if(layers_.begin(), layers_.end(), same);
  if (layer == layers_.end()) {
    // A write says more than a read does.
    layer = layers_.insert(access.write ? layers_.begin() : layers_.end(), {access, {}, {}});
  }
  if (!layer->boxes.emplace(access.box.first, access.box.count).second) {
    return;
  }
  const std::size_t who = uses_.size();
  any_stretch(access.box, shape, [&](std::int64_t first, std::int64_t end) {
    fill(*layer, first, end, who);
    return false;
  });
  uses_.push_back(std::move(used));
}

// Takes what nobody has of the elements from `first` to `end`.
void Past::fill(Layer& layer, std::int64_t first, std::int64_t end, std::size_t who) {
  auto next = reaching(layer.taken, first);
  while (first < end) {
    const std::int64_t free = next == layer.taken.end() ? end : std::min(next->first, end);
    if (first < free) {
      layer.taken.emplace_hint(next, first, Range{free, who});
    }
    if (next == layer.taken.end()) {
      return;
    }
    first = next->second.end;
    ++next;
  }
}

}  // namespace ws::ir
