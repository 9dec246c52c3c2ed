#include "tests/ir/planted.h"

#include <array>
#include <regex>

#include "tests/ir/corpus.h"

namespace ws::ir {
namespace {

/// A change of one line by a pattern; nothing in its place leaves the line out.
struct Rule {
  const char* what;
  const char* pattern;
  const char* with;
};

constexpr std::array<Rule, 19> kRules = {{
    {"left out",
     R"(^(self\.\S+\.(wait|arrive|expect_tx|arrive_expect_tx|acquire|release)\(|at_block\(.*\.arrive\(|wait_group|)"
     R"(commit_group|bar_sync|bar_arrive|cta_sync|cluster_sync|fence_proxy_async|wgmma_fence|)"
     R"(copy_async).*$)",
     "pass"},
    {"the other parity", R"(^(self\.\S+\.wait\()(.*)\)( .*)?$)", "$1($2) ^ 1)$3"},
    {"always parity 0", R"(^(self\.\S+\.wait\().*[a-z].*\)( .*)?$)", "$1 0)$2"},
    {"one arrival more to wait for", R"(^(self\.\S+\.init\()(.*)\)( .*)?$)", "$1($2) + 1)$3"},
    {"one arrival fewer to wait for", R"(^(self\.\S+\.init\()([2-9].*)\)( .*)?$)", "$1($2) - 1)$3"},
    {"one release more to wait for", R"(^(self\.\w+ = ring\(\w+), ([0-9])\)$)", "$1, $2 + 1)"},
    {"the next round", R"(^(self\.\w+\.(acquire|wait|release)\()p\)( .*)?$)", "$1p + 1)$3"},
    {"one arrival twice", R"(^(.*\.arrive\()\)( .*)?$)", "$1 2)$2"},
    {"twice the bytes", R"(^(self\.\S+expect_tx\()([^,]*[0-9s])\)( .*)?$)", "$1($2) * 2)$3"},
    {"half the bytes", R"(^(self\.\S+expect_tx\()([^,]*[0-9s])\)( .*)?$)", "$1($2) // 2)$3"},
    {"32 threads more", R"(^(bar_(sync|arrive)\(.*, )([0-9]+)\)( .*)?$)", "$1 $3 + 32)$4"},
    {"32 threads fewer", R"(^(bar_(sync|arrive)\(.*, )([0-9]+)\)( .*)?$)", "$1 $3 - 32)$4"},
    {"another barrier", R"(^(bar_(sync|arrive)\().*, ([0-9]+)\)( .*)?$)", "$1 13, $3)$4"},
    {"one group fewer", R"(^wait_group\(([0-9]), (.*)$)", "wait_group($1 + 1, $2"},
    {"always the first stage", R"(^(self\.\w+)\[s\](\.(wait|arrive|arrive_expect_tx)\(.*)$)",
     "$1[0]$2"},
    {"always the second stage", R"(^(self\.\w+)\[s\](\.(wait|arrive|arrive_expect_tx)\(.*)$)",
     "$1[1]$2"},
    {"always filled into the first stage", R"(^(copy_async\(self\.\w+)\[s\](.*)$)", "$1[0]$2"},
    {"always read from the first stage", R"(^(.*gemm.*)\[s\](.*)$)", "$1[0]$2"},
    {"the source read, not the target", R"(^wait_group\(0, "tma"\)( .*)?$)",
     "wait_group(0, \"tma\", read=True)$1"},
}};

/// Whether two lines follow each other in one block, and both do something of their own.
bool can_swap(const std::string& first, const std::string& second) {
  const std::regex heads(R"(^\s*(def|if|for|while|else|elif|return|#).*|^\s*$)");
  return indentation(first) == indentation(second) && !std::regex_match(first, heads) &&
         !std::regex_match(second, heads);
}

}  // namespace

std::vector<Planted> planted_in(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Planted> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string indent = indentation(lines[i]);
    const std::string bare = lines[i].substr(indent.size());
    const auto plant = [&](const std::string& what, const std::vector<std::string>& changed) {
      all.push_back({what + ": " + bare, static_cast<std::uint32_t>(i + 1), bare, join(changed)});
    };
    for (const Rule& rule : kRules) {
      const std::string with = std::regex_replace(bare, std::regex(rule.pattern), rule.with);
      if (with != bare) {
        std::vector<std::string> changed = lines;
        changed[i] = indent + with;
        plant(rule.what, changed);
      }
    }
    const std::regex early(
        R"(^(self\.\S+\.(arrive|release)\(|at_block\(.*\.arrive\(|bar_arrive|fence_proxy).*)");
    if (i > 0 && std::regex_match(bare, early) && can_swap(lines[i - 1], lines[i])) {
      std::vector<std::string> changed = lines;
      std::swap(changed[i - 1], changed[i]);
      plant("a line too early", changed);
    }
  }
  return all;
}

bool names_cause(const Planted& planted, const Finding& finding) {
  if (finding.place.line == planted.line || finding.other.line == planted.line) {
    return true;
  }
  const std::string said = finding.object + " " + finding.message + " " + finding.fix;
  const std::regex names(R"(self\.(\w+)|(wgmma|cp\.async|tma|fence_proxy_async|cluster))"
                         R"(|(?:cta_(sync)|bar_(?:sync|arrive)\((\w+)))");
  for (std::sregex_iterator it(planted.old_line.begin(), planted.old_line.end(), names), end;
       it != end; ++it) {
    for (const std::size_t group : {1, 2}) {
      const std::string name = (*it)[group].str();
      if (!name.empty() && said.find(name) != std::string::npos) {
        return true;
      }
    }
    const bool barrier = (*it)[3].matched || (*it)[4].matched;
    if (barrier && (said.find("named barrier") != std::string::npos ||
                    said.find("bar_sync(") != std::string::npos ||
                    said.find("cta_sync()") != std::string::npos)) {
      return true;
    }
  }
  return false;
}

}  // namespace ws::ir
