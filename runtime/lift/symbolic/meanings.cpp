#include "runtime/lift/symbolic/meanings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "runtime/base/text.h"

namespace ws::lift {
namespace {

constexpr auto kPtx = MeaningKind::kPtx;
constexpr auto kFunction = MeaningKind::kFunction;
using enum Effect;

constexpr std::array<std::pair<std::string_view, Handling>, 25> kHandled = {{
    {"cta_sync()", Handling::kBlockBarrier},
    {"warp_sync", Handling::kWarpBarrier},
    {"fence()", Handling::kFence},
    {"load", Handling::kLoad},
    {"store", Handling::kStore},
    {"atomic_add", Handling::kAtomic},
    {"atomic_max", Handling::kAtomic},
    {"address", Handling::kAddress},
    {"to", Handling::kConvert},
    {"fma", Handling::kFma},
    {"reciprocal", Handling::kReciprocal},
    {"minimum", Handling::kMinimum},
    {"maximum", Handling::kMaximum},
    {"shuffle", Handling::kShuffle},
    {"shuffle_xor", Handling::kShuffleXor},
    {"shuffle_up", Handling::kShuffleUp},
    {"shuffle_down", Handling::kShuffleDown},
    {"barrier.init(count)", Handling::kInit},
    {"barrier.arrive()", Handling::kArrive},
    {"barrier.arrive_expect_tx(bytes)", Handling::kExpect},
    {"barrier.expect_tx(bytes)", Handling::kExpect},
    {"barrier.wait(parity)", Handling::kWait},
    {"barrier.wait(state)", Handling::kWait},
    {"bar_sync(id, threads)", Handling::kWait},
    {"cluster_wait()", Handling::kWait},
}};

constexpr Handling handling_of(std::string_view operation) {
  for (const auto& [name, handling] : kHandled) {
    if (name == operation) {
      return handling;
    }
  }
  return Handling::kOther;
}

#define WS_MEANING(names, kind, roles, operation, effect, meaning) \
  Meaning{names, kind, roles, operation, effect, handling_of(operation), meaning},
constexpr Meaning kMeanings[] = {
#include "runtime/lift/symbolic/meanings.def"
};
#undef WS_MEANING

/// Calls `f` with each name of a row.
template <typename F>
void each_name(const Meaning& row, F f) {
  std::string_view rest = row.names;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    f(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

/// `ld` is not how `ldmatrix` starts.
bool starts_as(std::string_view text, std::string_view name, MeaningKind kind) {
  if (!text.starts_with(name)) {
    return false;
  }
  const bool whole = text.size() == name.size();
  const bool space = name.ends_with("::");
  return whole || space ||
         (kind == kPtx ? !is_word(text[name.size()]) : text.substr(name.size()).starts_with("::"));
}

const Meaning* longest(std::string_view text, MeaningKind kind) {
  const Meaning* best = nullptr;
  std::size_t length = 0;
  for (const Meaning& row : kMeanings) {
    each_name(row, [&](std::string_view name) {
      if (row.kind == kind && name.size() > length && starts_as(text, name, kind)) {
        best = &row;
        length = name.size();
      }
    });
  }
  return best;
}

constexpr std::string_view kBlanks = " \t\n\r";

std::string without_comments(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at).starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      plain += text[at++];
    }
  }
  return plain;
}

/// One statement of PTX without what stands around the instruction.
std::string_view bare_instruction(std::string_view text) {
  for (;;) {
    text = ws::trimmed(text, kBlanks);
    const std::size_t colon = text.find(':');
    std::string_view head = text.substr(0, std::min(colon, text.size()));
    // %= makes a label unique.
    head.remove_suffix(head.ends_with("%=") ? 2 : 0);
    const bool label = colon != std::string_view::npos && !head.empty() &&
                       !text.substr(colon).starts_with("::") &&
                       head.find_first_of(" .[%,") == std::string_view::npos;
    if (text.starts_with("{") || text.starts_with("}")) {
      text.remove_prefix(1);
    } else if (label) {
      text.remove_prefix(colon + 1);
    } else if (text.starts_with("@")) {
      text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
    } else {
      return text;
    }
  }
}

}  // namespace

std::span<const Meaning> meanings() {
  return kMeanings;
}

bool orchestrates(const Meaning* meaning) {
  return meaning != nullptr &&
         (meaning->effect == Effect::kCopy || meaning->effect == Effect::kProduct ||
          meaning->effect == Effect::kSync);
}

const Meaning* meaning_of_function(std::string_view name) {
  return longest(name, kFunction);
}

const Meaning* meaning_of_ptx(std::string_view instruction) {
  return longest(ws::trimmed(instruction, kBlanks), kPtx);
}

std::vector<std::string> instructions_of(std::string_view text) {
  const std::string plain = without_comments(text);
  std::vector<std::string> found;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view one = bare_instruction(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool control = one.starts_with("bra") || one.starts_with(".") || one.starts_with("ret");
    if (!one.empty() && !control) {
      found.emplace_back(one);
    }
  }
  return found;
}

std::vector<Annotation> annotations(const Tree& tree) {
  std::vector<Annotation> found;
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kCall && node.index == kNone) {
      if (const Meaning* row = meaning_of_function(node.text)) {
        found.push_back({node.range, node.text, row});
      }
    } else if (node.kind == NodeKind::kAsm) {
      for (const std::string& one : instructions_of(node.text)) {
        const std::string name = one.substr(0, one.find_first_of(" \t\n[{"));
        found.push_back({node.range, name, meaning_of_ptx(one)});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Annotation& a, const Annotation& b) {
    return std::pair(a.range.region, a.range.line) < std::pair(b.range.region, b.range.line);
  });
  return found;
}

std::string annotated_source(const Tree& tree, std::string_view region, std::string_view text) {
  std::map<std::int32_t, std::string> comments;
  std::set<std::pair<std::int32_t, std::string>> seen;  // A template is there several times.
  for (const Annotation& row : annotations(tree)) {
    const bool here = row.range.region != kNone &&
                      tree.regions[static_cast<std::size_t>(row.range.region)] == region;
    if (!here || !seen.emplace(row.range.line, row.name).second) {
      continue;
    }
    std::string& comment = comments[row.range.line];
    comment += comment.empty() ? "  // " : "; ";
    comment += row.name + ": ";
    comment += row.meaning == nullptr ? "not in the table" : std::string(row.meaning->meaning);
    if (row.meaning != nullptr && !row.meaning->operation.empty()) {
      comment += " [" + std::string(row.meaning->operation) + "]";
    }
  }
  std::string result;
  std::int32_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += text.substr(at, end - at);
    const auto comment = comments.find(line);
    result += comment == comments.end() ? "" : comment->second;
    result += '\n';
    at = end + 1;
  }
  return result;
}

}  // namespace ws::lift
