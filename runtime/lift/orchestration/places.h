// Instructions and places in memory as the skeleton takes them apart: operands of inline PTX, and
// elements of arrays as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kernel/dtype.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// One PTX instruction: "wgmma.mma_async.sync...", and its operands, each one word or, in braces,
/// several. Brackets are left out; what stands in them is marked.
struct Instruction {
  struct Operand {
    std::vector<std::string> words;
    bool address = false;
  };

  std::string name;
  std::vector<Operand> operands;  ///< Each has a word, which is empty where nothing is in braces.

  /// An operand without an address, whose word is empty, where there is none of this number.
  [[nodiscard]] const Operand& at(std::size_t number) const;

  [[nodiscard]] const std::string& first_word(std::size_t number) const {
    return at(number).words.front();
  }
};

Instruction take_apart(std::string_view text);

/// The input or output of an inline assembly that a word like "%12" names; -1: none.
int operand_number(std::string_view word);

/// The expression that a word like "%12" names. @param assembly  Has it as a kid.
/// @return  kNone: the word names none, or the assembly has none of that number.
NodeId operand_node(const Node& assembly, std::string_view word);

/// The number after `letter` in a shape like ".m64n128k16."; 0: none.
std::int64_t shape_number(std::string_view name, char letter);

/// `self.As[s][row][0]`: a name and what stands in its brackets.
struct MemoryPlace {
  std::string base;
  std::vector<std::string> indices;
};

MemoryPlace place_of(std::string_view text);

/// The place with all its indices in one pair of brackets.
std::string place_text(const MemoryPlace& place);

/// "a, b, c"
std::string listed(const std::vector<std::string>& texts);

/// `from:from + size`; ":" for all of a dimension.
std::string slice_text(const std::string& from, std::int64_t size, std::int64_t whole);

/// An array in shared memory.
struct SharedArray {
  std::vector<std::int64_t> dims;
  DType type = DType::kF32;
  bool barrier = false;  ///< Elements of 8 bytes, which are mbarriers where one is made there.
  Range range;
  /// Row and column of an element by its place in a tile, where copies permute them.
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> order;
};

/// By name: "self.As".
using SharedArrays = std::map<std::string, SharedArray, std::less<>>;

/// A part of rows x cols of the array's last two dimensions, from a place in it on; empty: it has
/// not so many.
std::string part_text(const MemoryPlace& place, const SharedArray& array, std::int64_t rows,
                      std::int64_t cols);

/// A comment that ties a line of a program to lines of the kernel: "  # @ source:3-5"; empty where
/// the range has none.
std::string mark_of(const Tree& tree, const Range& range);

}  // namespace ws::lift
