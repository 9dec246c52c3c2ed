#include "runtime/ir/exec/memory.h"

#include <algorithm>

#include "runtime/ir/exec/rounding.h"

namespace ws::ir {

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
  const Buffer& buffer = *view.buffer;
  Shape stride(buffer.shape.size(), 1);
  for (std::size_t i = buffer.shape.size(); i-- > 1;) {
    stride[i - 1] = stride[i] * buffer.shape[i];
  }
  // -1 is outside. Dimensions that the view fixes come first, its own in their order.
  std::vector<std::int64_t> places = {0};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    if (std::find(view.axes.begin(), view.axes.end(), i) == view.axes.end()) {
      order.push_back(i);
    }
  }
  order.insert(order.end(), view.axes.begin(), view.axes.end());
  for (const std::size_t axis : order) {
    std::vector<std::int64_t> next;
    next.reserve(places.size() * static_cast<std::size_t>(view.count[axis]));
    for (const std::int64_t place : places) {
      for (std::int64_t i = view.first[axis]; i < view.first[axis] + view.count[axis]; ++i) {
        const bool outside = place < 0 || i < 0 || i >= buffer.shape[axis];
        next.push_back(outside ? -1 : place + i * stride[axis]);
      }
    }
    places = std::move(next);
  }
  std::vector<std::size_t> result(places.size());
  std::transform(places.begin(), places.end(), result.begin(), [](std::int64_t place) {
    return place < 0 ? kOutside : static_cast<std::size_t>(place);
  });
  return result;
}

std::vector<double> read(const View& view, double beyond) {
  const Buffer& buffer = *view.buffer;
  std::vector<double> elements;
  if (buffer.data.empty()) {
    return elements;
  }
  const std::vector<std::size_t> places = places_of(view);
  elements.reserve(places.size());
  for (const std::size_t place : places) {
    elements.push_back(place == kOutside ? beyond : buffer.data[place]);
  }
  return elements;
}

void write(const View& view, std::vector<double> elements, ValueMode mode) {
  Buffer& buffer = *view.buffer;
  if (buffer.data.empty()) {
    return;
  }
  round_to(mode, buffer.dtype, elements);
  const std::vector<std::size_t> places = places_of(view);
  for (std::size_t i = 0; i < places.size() && i < elements.size(); ++i) {
    if (places[i] != kOutside) {
      buffer.data[places[i]] = elements[i];
    }
  }
}

void mark_written(const View& view) {
  Buffer& buffer = *view.buffer;
  for (const std::size_t place : places_of(view)) {
    if (place != kOutside) {
      buffer.written[place] = 1;
    }
  }
}

bool all_written(const View& view) {
  const Buffer& buffer = *view.buffer;
  const std::vector<std::size_t> places = places_of(view);
  return std::all_of(places.begin(), places.end(), [&](std::size_t place) {
    return place == kOutside || buffer.written[place] != 0;
  });
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
