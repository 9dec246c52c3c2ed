#include "runtime/ir/exec/memory.h"

#include <algorithm>
#include <utility>

#include "runtime/ir/exec/rounding.h"

namespace ws::ir {
namespace {

// A stretch of a view in its own order: `count` elements from number `index` on, which lie `stride`
// apart in the buffer from `place` on; kOutside: all beyond the edge.
struct Run {
  std::size_t index = 0;
  std::size_t count = 0;
  std::size_t place = kOutside;
  std::size_t stride = 1;
};

class Runs {
 public:
  explicit Runs(const View& view)
      : view_(view),
        shape_(view.buffer->shape),
        strides_(shape_.size(), 1),
        at_(view.first) {
    for (std::size_t i = shape_.size(); i-- > 1;) {
      strides_[i - 1] = strides_[i] * shape_[i];
    }
  }

  template <typename Each>
  void each(const Each& each) {
    const std::size_t rank = view_.axes.size();
    std::size_t index = 0;
    if (count_of(shape_of(view_)).value_or(0) == 0) {
      return;
    }
    do {
      const std::int64_t place = start();
      if (rank == 0) {
        each(Run{0, 1, place < 0 ? kOutside : static_cast<std::size_t>(place), 1});
        return;
      }
      index = along_last(index, place, each);
    } while (advance(rank - 1));
  }

 private:
  // The start of the element at index 0 of the last axis; -1 when another dimension is outside.
  [[nodiscard]] std::int64_t start() const {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (!view_.axes.empty() && i == view_.axes.back()) {
        continue;
      }
      if (at_[i] < 0 || at_[i] >= shape_[i]) {
        return -1;
      }
      place += at_[i] * strides_[i];
    }
    return place;
  }

  template <typename Each>
  std::size_t along_last(std::size_t index, std::int64_t place, const Each& each) const {
    const std::size_t axis = view_.axes.back();
    const std::int64_t first = view_.first[axis];
    const std::int64_t end = first + view_.count[axis];
    // Before the buffer, in it, and beyond it.
    const std::int64_t inner = place < 0 ? end : std::clamp<std::int64_t>(0, first, end);
    const std::int64_t outer = std::clamp<std::int64_t>(shape_[axis], inner, end);
    for (const auto& [from, to] :
         {std::pair(first, inner), std::pair(inner, outer), std::pair(outer, end)}) {
      const auto count = static_cast<std::size_t>(to - from);
      if (count > 0) {
        const bool in = from == inner && to == outer;
        each(Run{index, count,
                 in ? static_cast<std::size_t>(place + from * strides_[axis]) : kOutside,
                 static_cast<std::size_t>(strides_[axis])});
        index += count;
      }
    }
    return index;
  }

  // The next index of the view's axes before `axes`; false at the end.
  bool advance(std::size_t axes) {
    for (std::size_t i = axes; i-- > 0;) {
      const std::size_t axis = view_.axes[i];
      if (++at_[axis] < view_.first[axis] + view_.count[axis]) {
        return true;
      }
      at_[axis] = view_.first[axis];
    }
    return false;
  }

  const View& view_;
  const Shape& shape_;
  Shape strides_;
  Shape at_;
};

template <typename Each>
void each_run(const View& view, const Each& each) {
  Runs(view).each(each);
}

}  // namespace

View view_of(std::shared_ptr<Buffer> buffer) {
  View view;
  view.first.assign(buffer->shape.size(), 0);
  view.count = buffer->shape;
  for (std::size_t i = 0; i < buffer->shape.size(); ++i) {
    view.axes.push_back(i);
  }
  view.buffer = std::move(buffer);
  return view;
}

Shape shape_of(const View& view) {
  Shape shape;
  for (const std::size_t axis : view.axes) {
    shape.push_back(view.count[axis]);
  }
  return shape;
}

Box inside(const View& view) {
  const Buffer& buffer = *view.buffer;
  Box box{view.first, view.count};
  for (std::size_t i = 0; i < box.first.size(); ++i) {
    const std::int64_t end = std::min(box.first[i] + box.count[i], buffer.shape[i]);
    box.first[i] = std::max<std::int64_t>(box.first[i], 0);
    box.count[i] = std::max<std::int64_t>(end - box.first[i], 0);
  }
  return box;
}

bool passes_edge(const View& view) {
  const Box box = inside(view);
  return box.first != view.first || box.count != view.count;
}

bool wholly_outside(const View& view) {
  const Box box = inside(view);
  return std::find(box.count.begin(), box.count.end(), 0) != box.count.end();
}

std::vector<std::size_t> places_of(const View& view) {
  std::vector<std::size_t> places;
  each_run(view, [&](const Run& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
      places.push_back(run.place == kOutside ? kOutside : run.place + i * run.stride);
    }
  });
  return places;
}

std::vector<double> read(const View& view, double beyond) {
  const Buffer& buffer = *view.buffer;
  std::vector<double> elements;
  if (buffer.data.empty()) {
    return elements;
  }
  elements.assign(static_cast<std::size_t>(count_of(shape_of(view)).value_or(0)), beyond);
  each_run(view, [&](const Run& run) {
    for (std::size_t i = 0; i < run.count && run.place != kOutside; ++i) {
      elements[run.index + i] = buffer.data[run.place + i * run.stride];
    }
  });
  return elements;
}

void write(const View& view, std::vector<double> elements, ValueMode mode) {
  Buffer& buffer = *view.buffer;
  if (elements.empty() && mode == ValueMode::kNone) {
    buffer.data.clear();
  }
  if (buffer.data.empty()) {
    return;
  }
  round_to(mode, buffer.dtype, elements);
  each_run(view, [&](const Run& run) {
    const std::size_t count = run.place == kOutside || run.index >= elements.size()
                                  ? 0
                                  : std::min(run.count, elements.size() - run.index);
    for (std::size_t i = 0; i < count; ++i) {
      buffer.data[run.place + i * run.stride] = elements[run.index + i];
    }
  });
}

void mark_written(const View& view) {
  Buffer& buffer = *view.buffer;
  if (buffer.unwritten == 0) {
    return;
  }
  each_run(view, [&](const Run& run) {
    for (std::size_t i = 0; i < run.count && run.place != kOutside; ++i) {
      std::uint8_t& mark = buffer.written[run.place + i * run.stride];
      buffer.unwritten -= mark == 0 ? 1U : 0U;
      mark = 1;
    }
  });
}

bool all_written(const View& view) {
  const Buffer& buffer = *view.buffer;
  if (buffer.unwritten == 0) {
    return true;
  }
  bool all = true;
  each_run(view, [&](const Run& run) {
    for (std::size_t i = 0; all && i < run.count && run.place != kOutside; ++i) {
      all = buffer.written[run.place + i * run.stride] != 0;
    }
  });
  return all;
}

std::string name_of(const View& view) {
  const Buffer& buffer = *view.buffer;
  std::string text;
  std::string open;  // Dimensions that are taken whole, shown only before one that is not.
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const bool axis = std::find(view.axes.begin(), view.axes.end(), i) != view.axes.end();
    const std::string first = std::to_string(view.first[i]);
    if (axis && view.first[i] == 0 && view.count[i] == buffer.shape[i]) {
      open += ":, ";
      continue;
    }
    text +=
        open + (axis ? first + ":" + std::to_string(view.first[i] + view.count[i]) : first) + ", ";
    open.clear();
  }
  return text.empty() ? buffer.name : buffer.name + "[" + text.substr(0, text.size() - 2) + "]";
}

}  // namespace ws::ir
