// Fixes of findings, where a program can apply them.
#include <regex>

#include "tests/ir/corpus.h"
#include "tests/ir/planted.h"

namespace ws::ir {
namespace {

/// The first line that has `part`; 0: there is none. Lines count from 1.
std::size_t line_with(const std::vector<std::string>& lines, const std::string& part) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(part) != std::string::npos) {
      return i + 1;
    }
  }
  return 0;
}

void insert(std::vector<std::string>& lines, std::size_t at, const std::string& like,
            const std::string& added) {
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), indentation(like) + added);
}

/// The last line of the method that line `at` is in.
std::size_t end_of_role(const std::vector<std::string>& lines, std::size_t at) {
  std::size_t end = at;
  while (end < lines.size() && !lines[end].empty()) {
    ++end;
  }
  return end;
}

/// A barrier for the worker alone: the numbers of its role tell the workers apart.
std::string own_barrier(const std::vector<std::string>& lines, const Finding& finding,
                        const std::string& threads) {
  const std::string role = finding.worker.substr(0, finding.worker.find('('));
  const std::size_t head = line_with(lines, "def " + role + "(self, ");
  std::smatch found;
  const std::regex number(R"(\(self, (\w+))");
  const bool numbered = head > 0 && std::regex_search(lines[head - 1], found, number);
  return "bar_sync(8" + (numbered ? " + " + found[1].str() : std::string()) + ", " + threads + ")";
}

/// The parts of a fix that has the form of `pattern`.
std::optional<std::smatch> said(const std::string& fix, const char* pattern) {
  std::smatch found;
  return std::regex_search(fix, found, std::regex(pattern)) ? std::optional(found) : std::nullopt;
}

/// Puts the fence or barrier in that a fix names; false where it names none. Those below are alike.
bool add_barrier(std::vector<std::string>& lines, const Finding& finding) {
  const std::string& fix = finding.fix;
  const std::size_t at = finding.place.line;
  std::string added;
  std::size_t line = 0;  // The line before it.
  if (const auto fence =
          said(fix, R"(^(fence_proxy_async\(\)|wgmma_fence\(\)|cta_sync\(\)) after line (\d+))")) {
    added = (*fence)[1];
    line = std::stoul((*fence)[2]);
  } else if (const auto own = said(fix, R"(^bar_sync\(id, (\d+)\).* after line (\d+))")) {
    added = own_barrier(lines, finding, (*own)[1]);
    line = std::stoul((*own)[2]);
  } else if (said(fix, R"(^wgmma_fence\(\) before this line)")) {
    insert(lines, at - 1, lines[at - 1], "wgmma_fence()");
    return true;
  } else if (
      const auto after = said(
          fix,
          R"(^(fence_proxy_async\(\)|bar_sync\(id, (\d+)\)|cta_sync\(\)).* after the wait_group)")) {
    added = (*after)[2].matched ? own_barrier(lines, finding, (*after)[2]) : (*after)[1].str();
    line = at;
    while (line > 0 && lines[line - 1].find("wait_group(") == std::string::npos) {
      --line;
    }
  }
  if (line == 0) {
    return false;
  }
  insert(lines, line, lines[line - 1], added);
  return true;
}

bool add_wait(std::vector<std::string>& lines, const Finding& finding) {
  if (const auto before =
          said(finding.fix, R"(^(commit_group\(.*\) and )?(wait_group\(.*\)) before line (\d+))")) {
    const std::size_t line = std::stoul((*before)[3]);
    const std::string commit = (*before)[1];
    insert(lines, line - 1, lines[line - 1], (*before)[2]);
    if (!commit.empty()) {
      insert(lines, line - 1, lines[line - 1], commit.substr(0, commit.find(" and ")));
    }
    return true;
  }
  if (const auto last =
          said(finding.fix,
               R"(^(?:commit_group\(.*\) and )?(wait_group\(.*\)) before the kernel ends)")) {
    const std::size_t end = end_of_role(lines, finding.place.line);
    insert(lines, end, "        ", (*last)[1]);
    insert(lines, end, "        ", "commit_group()");
    return true;
  }
  return false;
}

bool move_arrival(std::vector<std::string>& lines, const Finding& finding) {
  const auto found =
      said(finding.fix, R"(^let (.*) arrive at (.*) after line (\d+), not at line (\d+))");
  if (!found) {
    return false;
  }
  const std::size_t to = std::stoul((*found)[3]);
  const std::size_t from = std::stoul((*found)[4]);
  const std::string moved = lines[from - 1].substr(indentation(lines[from - 1]).size());
  insert(lines, to, lines[to - 1], moved);
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from - (from > to ? 0 : 1)));
  return true;
}

bool change_count(std::vector<std::string>& lines, const Finding& finding) {
  if (const auto bytes = said(finding.fix, R"(^expect (\d+) bytes)")) {
    std::string& line = lines[finding.place.line - 1];
    line = std::regex_replace(line, std::regex(R"(expect_tx\(.*\))"),
                              "expect_tx(" + (*bytes)[1].str() + ")");
    return true;
  }
  const auto count = said(finding.fix, R"(^init\((\d+)\))");
  const std::string barrier = finding.object.substr(0, finding.object.find('['));
  const std::size_t init = count ? line_with(lines, "self." + barrier + ".init(") : 0;
  if (init == 0) {
    return false;
  }
  lines[init - 1] = std::regex_replace(lines[init - 1], std::regex(R"(init\(.*\))"),
                                       "init(" + (*count)[1].str() + ")");
  return true;
}

}  // namespace

std::optional<std::string> mended(const std::string& text, const Finding& finding) {
  std::vector<std::string> lines = lines_of(text);
  if (finding.place.line == 0 || finding.place.line > lines.size()) {
    return std::nullopt;
  }
  const bool done = add_barrier(lines, finding) || add_wait(lines, finding) ||
                    move_arrival(lines, finding) || change_count(lines, finding);
  return done ? std::optional(join(lines)) : std::nullopt;
}

}  // namespace ws::ir
