#include "runtime/lift/tile/writer.h"

#include <algorithm>
#include <string_view>

#include "runtime/ir/syntax/reserved.h"

namespace ws::lift::tile {
namespace {

constexpr int kBody = 2;  // The depth of a method's lines.
constexpr std::string_view kIndent = "    ";

}  // namespace

void Writer::line(const std::string& text, int source) {
  lines_.push_back(indented(text, source));
}

Writer::Line Writer::indented(const std::string& text, int source) const {
  std::string line;
  for (int i = 0; i < kBody + depth_; ++i) {
    line += kIndent;
  }
  return {line + text, source};
}

bool Writer::writes_since(std::size_t count) const {
  return std::any_of(
      lines_.begin() + static_cast<std::ptrdiff_t>(count), lines_.end(), [](const Line& line) {
        const std::size_t start = std::min(line.text.find_first_not_of(' '), line.text.size());
        const std::string_view text = std::string_view(line.text).substr(start);
        return text.starts_with("store(") || text.starts_with("scatter");
      });
}

void Writer::insert(std::size_t count, const std::string& text, int source) {
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(count), indented(text, source));
}

std::string Writer::take(const std::string& wish) {
  std::string name = wish;
  // Python and Julia take letters of Unicode, CuIR does not.
  std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) > 0x7F; }, '_');
  while (ir::is_reserved(name) || taken_.contains(name)) {
    name += "_";
  }
  taken_.insert(name);
  return name;
}

Writer::Text Writer::finish(const Head& head) const {
  Text text;
  const auto add = [&text](const std::string& line, int source) {
    text.program += line + "\n";
    text.sources.push_back(source);
  };
  for (const std::string& constant : head.constants) {
    add(constant, 0);
  }
  if (!head.constants.empty()) {
    add("", 0);
    add("", 0);
  }
  add("class " + head.name + "(KernelBase):", 0);
  std::vector<std::string> names = head.parameters;
  std::string parameters;
  for (const std::string& name : head.parameters) {
    parameters += ", " + name;
  }
  for (const std::string& number : head.numbers) {
    parameters += ", " + number;
    names.push_back(number.substr(0, number.find('=')));
  }
  add("    def __init__(self" + parameters + "):", 0);
  add("        self.gridDim = " + head.grid, 0);
  for (const std::string& name : names) {
    add("        self." + name + " = " + name, 0);
  }
  add("", 0);
  add("    def run(self):", 0);
  for (const Line& line : lines_) {
    add(line.text, line.source);
  }
  if (lines_.empty()) {
    add("        pass", 0);
  }
  return text;
}

}  // namespace ws::lift::tile
