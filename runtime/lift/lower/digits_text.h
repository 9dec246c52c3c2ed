// Numbers that threads and loops give the elements of a tile, as C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ws::lift {

/// A number that runs from 0 on in the kernel: a loop's variable, or the number of a thread.
struct Counter {
  std::string text;        ///< As C: "i", "threadIdx.x".
  std::int64_t count = 0;  ///< How many values it has here; not negative.
  bool wraps = false;      ///< `text` may be larger: it counts by its remainder.
};

/// The sum of digits of the counters that gives these values, such as
/// "i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2".
/// @param values  By the counters' values, the last counter's fastest.
/// @return  "0" where all are 0. Nothing: they are no such sum, or some are negative.
std::optional<std::string> digits_text(const std::vector<Counter>& counters,
                                       const std::vector<std::int64_t>& values);

}  // namespace ws::lift
