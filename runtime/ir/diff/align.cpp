#include "runtime/ir/diff/align.h"

#include <cstdint>

namespace ws::ir {
namespace {

// Programs that differ in 4,000 lines, each in its own, are compared in some hundred milliseconds.
constexpr std::size_t kMostCells = std::size_t{1} << 24U;

std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& texts, TextNumbers& number) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(texts.size());
  for (const std::string& text : texts) {
    numbers.push_back(number(text));
  }
  return numbers;
}

}  // namespace

Result<Pairs> align_texts(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const std::vector<std::size_t>& preferred) {
  TextNumbers number;
  Alignment alignment =
      align(numbers_of(a, number), numbers_of(b, number), {kMostCells, preferred});
  if (!alignment.longest) {
    return fail(ErrorCode::kUnsupported, "the programs differ in too many lines to be compared",
                "change one part of a program at a time");
  }
  return std::move(alignment.pairs);
}

}  // namespace ws::ir
