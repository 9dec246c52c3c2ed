// Passes that change lines of the source: unrolling, the order of blocks, padding.
#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/kernel/language.h"
#include "runtime/skills/builtin_parts.h"

namespace ws::builtin {
namespace {

constexpr auto kNowhere = std::string_view::npos;

tl::unexpected<Error> no_place(const std::string& why, std::string hint) {
  return fail(ErrorCode::kInvalidArgument, why, std::move(hint));
}

std::string indent_of(const std::string& line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

/// A line's code without the attributes of a shader's statement: `[unroll] for (...)`.
std::string_view statement_of(std::string_view line) {
  std::string_view code = stripped(code_of(line));
  while (code.starts_with("[")) {
    code = stripped(code.substr(std::min(code.find(']'), code.size() - 1) + 1));
  }
  return code;
}

bool is_for(std::string_view line) {
  const std::string_view code = statement_of(line);
  return code.starts_with("for (") || code.starts_with("for(");
}

/// `i < 16`, `i < TILE` and `i < @TILE@` end at a constant; `i < n` does not.
bool has_constant_end(std::string_view line) {
  const std::size_t first = line.find(';');
  const std::size_t second = line.find(';', std::min(first, line.size() - 1) + 1);
  if (first == kNowhere || second == kNowhere) {
    return false;
  }
  const std::string_view condition = line.substr(first + 1, second - first - 1);
  const std::size_t less = condition.find('<');
  if (less == kNowhere) {
    return false;
  }
  std::string_view end = condition.substr(less + 1);
  end = stripped(end.starts_with("=") ? end.substr(1) : end);
  return !end.empty() && std::all_of(end.begin(), end.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '(';
  });
}

/// Whether the loop of this line has an attribute, or a pragma before it.
bool is_told(const std::vector<std::string>& lines, std::size_t line) {
  const std::string_view before = line == 0 ? std::string_view() : stripped(lines[line - 1]);
  return stripped(lines[line]).starts_with("[") || before.find("#pragma") != kNowhere ||
         (before.starts_with("[") && statement_of(before).empty());
}

/// One past the loop's last line: its braces close, or the statement ends.
std::size_t loop_end(const std::vector<std::string>& lines, std::size_t from) {
  int depth = 0;
  bool braces = false;
  for (std::size_t i = from; i < lines.size(); ++i) {
    for (const char c : code_of(lines[i])) {
      depth += c == '{' ? 1 : (c == '}' ? -1 : 0);
      braces = braces || c == '{';
    }
    const bool statement = !braces && stripped(code_of(lines[i])).ends_with(";");
    if ((braces && depth <= 0) || statement) {
      return i + 1;
    }
  }
  return lines.size();
}

}  // namespace

Result<nlohmann::json> unroll(const Kernel& kernel) {
  const std::vector<std::string> lines = split_lines(kernel.source);
  const std::string word = is_shader_language(kernel.language) ? "[unroll]" : "#pragma unroll";
  nlohmann::json edits = nlohmann::json::array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_told(lines, i) || !is_for(lines[i]) || !has_constant_end(code_of(lines[i]))) {
      continue;
    }
    const std::size_t end = loop_end(lines, i);
    const auto inner = lines.begin() + static_cast<std::ptrdiff_t>(i + 1);
    const auto last = lines.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::none_of(inner, last, [](const std::string& line) { return is_for(line); })) {
      edits.push_back(insert_before(i + 1, indent_of(lines[i]) + word));
    }
  }
  if (edits.empty()) {
    return no_place("no innermost loop with a constant end is without `" + word + "`",
                    "a loop's end is constant when it is a number, a macro or a parameter");
  }
  return nlohmann::json{{"edits", edits}};
}

Result<nlohmann::json> block_swizzle(const Kernel& kernel) {
  if (is_shader_language(kernel.language)) {
    return no_place(
        "a shader does not know its grid's extents, so no edits are proposed",
        "compute them from the sizes, as `(n + BN - 1) / BN`, and write the pass by hand");
  }
  const std::vector<std::string> lines = split_lines(kernel.source);
  const std::size_t entry = kernel.source.find("__global__");
  if (kernel.launches.size() != 1 || kernel.launches.front().grid.size() != 2 ||
      entry == std::string::npos ||
      kernel.source.find("__global__", entry + 1) != std::string::npos) {
    return no_place("it takes one entry, launched once, on a grid of two extents",
                    "split the source, or write the pass by hand");
  }
  const std::size_t brace = kernel.source.find('{', entry);
  const auto opening = static_cast<std::size_t>(std::count(
      kernel.source.begin(),
      kernel.source.begin() + static_cast<std::ptrdiff_t>(std::min(brace, kernel.source.size())),
      '\n'));
  nlohmann::json edits = nlohmann::json::array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string changed = lines[i];
    changed = replace_words(changed, "blockIdx.x", "block_x");
    changed = replace_words(changed, "blockIdx.y", "block_y");
    if (changed != lines[i]) {
      edits.push_back(replace_line("source", i + 1, lines[i], changed));
    }
  }
  if (edits.empty() || opening + 1 >= lines.size()) {
    return no_place("the source does not use blockIdx.x or blockIdx.y", "");
  }
  edits.push_back(insert_before(
      opening + 2,
      "  // Blocks run down groups of @GROUP@ rows, so that those in flight share tiles in L2.\n"
      "  const int grid_x = static_cast<int>(gridDim.x);\n"
      "  const int in_order = static_cast<int>(blockIdx.y) * grid_x + "
      "static_cast<int>(blockIdx.x);\n"
      "  const int first_row = in_order / (@GROUP@ * grid_x) * @GROUP@;\n"
      "  const int rows = min(static_cast<int>(gridDim.y) - first_row, @GROUP@);\n"
      "  const int block_y = first_row + in_order % (@GROUP@ * grid_x) % rows;\n"
      "  const int block_x = in_order % (@GROUP@ * grid_x) / rows;"));
  return nlohmann::json{{"edits", edits}};
}

namespace {

/// `__shared__ float As[16][16];`, or a shader's `groupshared float As[16][16];` -> where its last
/// extent ends; npos: no such array, or one that is also used without all its indices, which
/// padding would break.
std::size_t padded_place(const std::string& line, const std::string& source) {
  const std::string_view code = code_of(line);
  const std::size_t mark = std::min(code.find("__shared__"), code.find("groupshared"));
  const std::size_t open = code.find('[', std::min(mark, code.size()));
  const std::size_t last = code.rfind("];");
  if (mark == kNowhere || open == kNowhere || last == kNowhere || code.find("][") == kNowhere ||
      code.find(',') != kNowhere) {
    return kNowhere;
  }
  const auto extents = static_cast<std::size_t>(std::count(code.begin(), code.end(), '['));
  std::size_t from = open;
  while (from > 0 && is_word(code[from - 1])) {
    --from;
  }
  const std::string_view name = code.substr(from, open - from);
  for (std::size_t at = find_word(source, name); at != kNowhere;
       at = find_word(source, name, at + 1)) {
    std::size_t end = at + name.size();
    for (std::size_t i = 0; i < extents; ++i) {
      const std::size_t close = source.find(']', end);
      if (end >= source.size() || source[end] != '[' || close == std::string::npos) {
        return kNowhere;
      }
      end = close + 1;
    }
    if (at > 0 && source[at - 1] == '&') {
      return kNowhere;
    }
  }
  return last;
}

}  // namespace

Result<nlohmann::json> pad_shared(const Kernel& kernel) {
  const std::vector<std::string> lines = split_lines(kernel.source);
  nlohmann::json edits = nlohmann::json::array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t place = padded_place(lines[i], kernel.source);
    if (place != kNowhere) {
      std::string changed = lines[i];
      edits.push_back(replace_line("source", i + 1, lines[i], changed.insert(place, " + @PAD@")));
    }
  }
  if (edits.empty()) {
    return no_place("no shared array of two or more extents is used by its indices alone",
                    "an array that is also used through pointers must be padded by hand");
  }
  return nlohmann::json{{"edits", edits}};
}

}  // namespace ws::builtin
