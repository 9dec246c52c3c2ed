#include "tests/ir/corpus.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {
namespace {

std::string stripped(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

// The only line with `part` in it, from 1; 0 and an error otherwise.
std::uint32_t find_line(const std::vector<std::string>& lines, const std::string& part,
                        std::string& error) {
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(part) != std::string::npos) {
      error += found == 0 ? "" : "several lines have `" + part + "`; ";
      found = static_cast<std::uint32_t>(i + 1);
    }
  }
  error += found == 0 ? "no line has `" + part + "`; " : "";
  return found;
}

struct Replacement {
  std::string old_line;
  std::vector<std::string> new_lines;
};

std::string apply(std::vector<std::string> lines, const std::vector<Replacement>& edits,
                  std::string& error) {
  for (const Replacement& edit : edits) {
    const auto matches = [&](const std::string& line) { return stripped(line) == edit.old_line; };
    const auto found = std::find_if(lines.begin(), lines.end(), matches);
    if (std::count_if(lines.begin(), lines.end(), matches) != 1) {
      error += "the base has not one line `" + edit.old_line + "`; ";
      continue;
    }
    const std::string indent(found->size() - stripped(*found).size(), ' ');
    const auto at = lines.erase(found);
    std::vector<std::string> added;
    for (const std::string& line : edit.new_lines) {
      added.push_back(indent + line);
    }
    lines.insert(at, added.begin(), added.end());
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

std::string indentation(const std::string& line) {
  return line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
}

std::string base_text(const std::string& name) {
  return repository_file("tests/ir/bases/" + name + ".cuir");
}

std::vector<std::string> base_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::string(WS_SOURCE_DIR) + "/tests/ir/bases";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_found(const Edited& bug, const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool straight = finding.place.line == bug.at && finding.other.line == bug.other;
    const bool crossed = finding.place.line == bug.other && finding.other.line == bug.at;
    const bool one = bug.other == 0 && finding.place.line == bug.at;
    return word_of(finding.kind) == bug.kind && (straight || crossed || one);
  });
}

std::vector<Edited> edits_of(const std::string& folder, const std::string& base) {
  std::vector<Edited> cases;
  std::vector<Replacement> edits;
  std::string at;
  std::string other;
  const auto finish = [&] {
    if (!cases.empty()) {
      Edited& last = cases.back();
      last.text = apply(lines_of(base_text(base)), edits, last.error);
      const std::vector<std::string> lines = lines_of(last.text);
      last.at = at.empty() ? 0 : find_line(lines, at, last.error);
      last.other = other.empty() ? 0 : find_line(lines, other, last.error);
    }
    edits.clear();
    at.clear();
    other.clear();
  };
  for (const std::string& line :
       lines_of(repository_file("tests/ir/" + folder + "/" + base + ".edits"))) {
    const std::string rest = line.substr(std::min<std::size_t>(line.find(' ') + 1, line.size()));
    if (line.rfind('[', 0) == 0) {
      finish();
      cases.push_back({line.substr(1, line.size() - 2), "", "", 0, 0, ""});
    } else if (line.rfind("kind: ", 0) == 0) {
      cases.back().kind = rest;
    } else if (line.rfind("at: ", 0) == 0) {
      at = rest;
    } else if (line.rfind("other: ", 0) == 0) {
      other = rest;
    } else if (line.rfind("- ", 0) == 0) {
      edits.push_back({rest, {}});
    } else if (line.rfind("+ ", 0) == 0 && !edits.empty()) {
      edits.back().new_lines.push_back(rest);
    } else if (!line.empty() && line.front() != '#' && !cases.empty()) {
      cases.back().error += "malformed line `" + line + "`; ";
    }
  }
  finish();
  return cases;
}

// "# args: A in f16 (64, 320); C out f32 (64, 64)"
std::vector<Tensor> arguments_of(const std::string& text) {
  std::vector<Tensor> tensors;
  std::istringstream rows(std::string(line_of(text, 1)).substr(8));
  for (std::string row; std::getline(rows, row, ';');) {
    std::replace_if(
        row.begin(), row.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    std::istringstream words(row);
    std::string name;
    std::string role;
    std::string dtype;
    words >> name >> role >> dtype;
    Shape shape;
    for (std::int64_t size = 0; words >> size;) {
      shape.push_back(size);
    }
    Tensor tensor = random_tensor(name, parse_dtype(dtype).value_or(DType::kF32), shape);
    tensor.role = role == "out"     ? TensorRole::kOut
                  : role == "inout" ? TensorRole::kInOut
                                    : TensorRole::kIn;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace ws::ir
