#include "runtime/lift/orchestration/filled.h"

#include <algorithm>
#include <map>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/ops.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

struct Parts {
  std::string frame;                         ///< All but the bodies of holes.
  std::map<std::string, std::string> holes;  ///< Body by name.
};

/// The program must be as the printer writes it: one statement a line, methods indented by four
/// spaces.
Parts parts_of(const std::string& text) {
  Parts parts;
  std::string hole;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at) + "\n";
    at = end + 1;
    const bool head = line.starts_with("    def ");
    if (head) {
      const std::string name = line.substr(8, line.find('(') - 8);
      hole = name.starts_with("hole_") ? name : "";
    }
    const bool in_hole = !head && !hole.empty() && line != "\n";
    (in_hole ? parts.holes[hole] : parts.frame) += line;
  }
  return parts;
}

Result<std::string> canonical(const std::string& text) {
  WS_TRY(const ir::Program program, ir::parse_program(text));
  return ir::print(program);
}

/// The first word of a hole's body that it may not have; empty: none.
std::string forbidden(const std::string& body) {
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] == '#') {
      at = std::min(body.find('\n', at), body.size());
      continue;
    }
    std::size_t end = at;
    while (end < body.size() && is_word(body[end])) {
      ++end;
    }
    const std::string word = body.substr(at, end - at);
    const bool method = at > 0 && body[at - 1] == '.';
    for (const ir::OpInfo& op : ir::all_ops()) {
      const bool same = op.name == word || (method && op.name == "barrier." + word);
      if (same && op.effect != ir::OpEffect::kPure) {
        return word;
      }
    }
    if (word == "self") {
      return word;
    }
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> check_filled(const std::string& lifted,
                                              const std::string& filled) {
  WS_TRY(const std::string before, canonical(lifted));
  WS_TRY(const std::string after, canonical(filled));
  const Parts original = parts_of(before);
  const Parts changed = parts_of(after);
  if (original.frame != changed.frame || original.holes.size() != changed.holes.size()) {
    return fail(ErrorCode::kInvalidArgument, "`ir` changes more than the bodies of holes",
                "fill the methods hole_1, hole_2, ... and leave the rest as lift_to_ir wrote it");
  }
  std::vector<std::string> empty;
  for (const auto& [name, body] : changed.holes) {
    const std::string word = forbidden(body);
    if (word == "self") {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + name + "` uses `self`: it may touch only what it is given",
                  "its parameters are its inputs, and it returns its outputs");
    }
    if (!word.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + name + "` uses `" + word + "`: a hole computes values and nothing else",
                  "synchronisation and memory stay where the kernel has them");
    }
    if (body == original.holes.at(name)) {
      empty.push_back(name);
    }
  }
  return empty;
}

}  // namespace ws::lift
