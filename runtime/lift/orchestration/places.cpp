#include "runtime/lift/orchestration/places.h"

#include <algorithm>

#include "runtime/base/text.h"

namespace ws::lift {

Instruction take_apart(std::string_view text) {
  Instruction made;
  const std::size_t first = std::min(text.find_first_of(" \t\n[{"), text.size());
  made.name = std::string(text.substr(0, first));
  bool group = false;
  bool address = false;
  for (std::size_t at = first; at < text.size();) {
    const char c = text[at];
    address = c == '[' || (address && c != ']');
    if (c == '{') {
      group = true;
      made.operands.push_back({{}, address});
    }
    group = group && c != '}';
    if (c != '%' && !is_digit(c) && !is_word_start(c)) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    if (!group) {
      made.operands.push_back({{}, address});
    }
    made.operands.back().words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  for (Instruction::Operand& operand : made.operands) {
    if (operand.words.empty()) {
      operand.words.emplace_back();
    }
  }
  return made;
}

const Instruction::Operand& Instruction::at(std::size_t number) const {
  static const Operand none{{""}, false};
  return number < operands.size() ? operands[number] : none;
}

int operand_number(std::string_view word) {
  constexpr std::size_t kMostWord = 4;
  if (word.size() < 2 || word.size() > kMostWord || word[0] != '%' ||
      !std::all_of(word.begin() + 1, word.end(), is_digit)) {
    return -1;
  }
  return std::stoi(std::string(word.substr(1)));
}

NodeId operand_node(const Node& assembly, std::string_view word) {
  const int number = operand_number(word);
  return number >= 0 && static_cast<std::size_t>(number) < assembly.kids.size()
             ? assembly.kids[static_cast<std::size_t>(number)]
             : kNone;
}

std::int64_t shape_number(std::string_view name, char letter) {
  for (std::size_t at = name.find(".m"); at != std::string_view::npos;
       at = name.find(".m", at + 1)) {
    const std::string_view part = name.substr(at + 1, name.find('.', at + 1) - at - 1);
    const std::size_t found = part.find(letter);
    if (part.size() < 2 || !is_digit(part[1]) || found == std::string_view::npos) {
      continue;
    }
    std::int64_t number = 0;
    for (std::size_t i = found + 1; i < part.size() && is_digit(part[i]) && number < 1000; ++i) {
      number = number * 10 + (part[i] - '0');
    }
    return number;
  }
  return 0;
}

MemoryPlace place_of(std::string_view text) {
  MemoryPlace place;
  const std::size_t first = std::min(text.find('['), text.size());
  place.base = std::string(text.substr(0, first));
  int depth = 0;
  std::size_t from = first;
  for (std::size_t at = first; at < text.size(); ++at) {
    if (text[at] == '[' && ++depth == 1) {
      from = at + 1;
    } else if (text[at] == ']' && --depth == 0) {
      place.indices.emplace_back(text.substr(from, at - from));
    }
  }
  return place;
}

std::string place_text(const MemoryPlace& place) {
  std::string text = place.base;
  for (std::size_t i = 0; i < place.indices.size(); ++i) {
    text += (i == 0 ? "[" : ", ") + place.indices[i];
  }
  return text + (place.indices.empty() ? "" : "]");
}

std::string listed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

std::string slice_text(const std::string& from, std::int64_t size, std::int64_t whole) {
  if (from == "0") {
    return size == whole ? ":" : "0:" + std::to_string(size);
  }
  return from + ":" + from + " + " + std::to_string(size);
}

std::string part_text(const MemoryPlace& place, const SharedArray& array, std::int64_t rows,
                      std::int64_t cols) {
  const std::size_t rank = array.dims.size();
  if (rank < 2 || place.indices.size() > rank) {
    return {};
  }
  MemoryPlace part = place;
  part.indices.resize(rank, "0");
  part.indices[rank - 2] = slice_text(part.indices[rank - 2], rows, array.dims[rank - 2]);
  part.indices[rank - 1] = slice_text(part.indices[rank - 1], cols, array.dims[rank - 1]);
  return place_text(part);
}

std::string mark_of(const Tree& tree, const Range& range) {
  if (range.line <= 0 || range.region == kNone) {
    return {};
  }
  return "  # @ " + tree.regions[static_cast<std::size_t>(range.region)] + ":" +
         std::to_string(range.line) + "-" + std::to_string(std::max(range.line, range.end_line));
}

}  // namespace ws::lift
