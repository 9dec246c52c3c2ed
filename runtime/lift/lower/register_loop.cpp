#include "runtime/lift/lower/register_loop.h"

#include <optional>
#include <utility>

#include "runtime/base/text.h"
#include "runtime/lift/lower/c_levels.h"
#include "runtime/lift/lower/c_text.h"

namespace ws::lift {
namespace {

/// The row or the column of an element, as a sum of digits.
std::optional<std::string> place_text(const RegisterLoop& loop, bool rows) {
  std::vector<std::int64_t> values;
  for (const std::vector<std::int64_t>& lanes : loop.tile.places) {
    for (const std::int64_t at : lanes) {
      values.push_back(rows ? at / loop.tile.cols : at % loop.tile.cols);
    }
  }
  std::vector<Counter> counters = loop.counters;
  counters.push_back(
      {"threadIdx.x", static_cast<std::int64_t>(loop.tile.places.front().size()), true});
  return digits_text(counters, values);
}

}  // namespace

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

Result<std::string> loop_text(const RegisterLoop& loop, const std::string& value,
                              std::size_t indent) {
  std::string blanks(indent, ' ');
  std::string text;
  for (std::size_t i = 0; i < loop.counters.size(); ++i) {
    const std::string& name = loop.counters[i].text;
    text += "#pragma unroll\n" + blanks + "for (int " + name + " = 0; " + name + " < " +
            operand_text(loop.sizes[i], Level::kSum) + "; ++" + name + ") {\n";
    blanks += "  ";
  }
  for (const bool rows : {true, false}) {
    const std::string& name = rows ? loop.row : loop.col;
    if (!has_word(value, name)) {
      continue;
    }
    const auto place = place_text(loop, rows);
    if (!place) {
      return no_form("the registers of `" + loop.tile.name + "` lie in no pattern of digits");
    }
    text += blanks + "const int " + name + " = " + *place + ";\n";
  }
  text += blanks + loop.element + " = " + value + ";";
  while (blanks.size() > indent) {
    blanks.resize(blanks.size() - 2);
    text += "\n" + blanks + "}";
  }
  return text;
}

}  // namespace ws::lift
