#include "runtime/ir/exec/memory.h"

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

// (3, 4), element i * 4 + j is its own number.
std::shared_ptr<Buffer> numbered() {
  auto buffer = std::make_shared<Buffer>();
  buffer->shape = {3, 4};
  buffer->data.resize(12);
  std::iota(buffer->data.begin(), buffer->data.end(), 0.0);
  buffer->written.assign(12, 0);
  buffer->unwritten = 12;
  return buffer;
}

struct Look {
  const char* name;
  Shape first;
  Shape count;
  std::vector<std::size_t> axes;
  std::vector<double> elements;  // -1 beyond the edge.
};

const std::vector<Look> kLooks = {
    {"the whole", {0, 0}, {3, 4}, {0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {"transposed", {0, 0}, {3, 4}, {1, 0}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
    {"a row", {1, 0}, {1, 4}, {1}, {4, 5, 6, 7}},
    {"a column", {0, 2}, {3, 1}, {0}, {2, 6, 10}},
    {"one element", {2, 3}, {1, 1}, {}, {11}},
    {"one element beyond the edge", {3, 0}, {1, 1}, {}, {-1}},
    {"beyond the last column", {0, 3}, {2, 3}, {0, 1}, {3, -1, -1, 7, -1, -1}},
    {"beyond the last row", {2, 0}, {2, 2}, {0, 1}, {8, 9, -1, -1}},
    {"before the first column", {0, -2}, {2, 3}, {0, 1}, {-1, -1, 0, -1, -1, 4}},
    {"before and beyond", {1, -1}, {1, 6}, {1}, {-1, 4, 5, 6, 7, -1}},
    {"beyond the last row, transposed", {2, 1}, {2, 2}, {1, 0}, {9, -1, 10, -1}},
    {"a row that is not there", {5, 0}, {1, 4}, {1}, {-1, -1, -1, -1}},
    {"nothing", {0, 0}, {3, 0}, {0, 1}, {}},
};

TEST_SUITE("ir.memory") {
  TEST_CASE("a look reads the elements it names, and nothing beyond the edge") {
    for (const Look& look : kLooks) {
      CAPTURE(std::string(look.name));
      const View view{numbered(), look.first, look.count, look.axes};
      CHECK(read(view, -1) == look.elements);
      const std::vector<std::size_t> places = places_of(view);
      REQUIRE(places.size() == look.elements.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(places[i] ==
              (look.elements[i] < 0 ? kOutside : static_cast<std::size_t>(look.elements[i])));
      }
    }
  }

  TEST_CASE("a look writes and marks the elements it names, and no other") {
    for (const Look& look : kLooks) {
      CAPTURE(std::string(look.name));
      const View view{numbered(), look.first, look.count, look.axes};
      std::vector<double> want = view.buffer->data;
      std::vector<std::uint8_t> marks(12, 0);
      for (const double at : look.elements) {
        if (at >= 0) {
          want[static_cast<std::size_t>(at)] = at + 100;
          marks[static_cast<std::size_t>(at)] = 1;
        }
      }
      std::vector<double> elements;
      for (const double at : look.elements) {
        elements.push_back(at + 100);
      }
      const bool none = marks == std::vector<std::uint8_t>(12, 0);
      CHECK(all_written(view) == none);
      write(view, elements, ValueMode::kF64);
      mark_written(view);
      CHECK(view.buffer->data == want);
      CHECK(view.buffer->written == marks);
      CHECK(all_written(view));
      CHECK(view.buffer->unwritten ==
            static_cast<std::size_t>(std::count(marks.begin(), marks.end(), 0)));
    }
  }
}

}  // namespace
}  // namespace ws::ir
