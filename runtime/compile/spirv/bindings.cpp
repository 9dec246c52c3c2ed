#include "runtime/compile/spirv/bindings.h"

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/compile/spirv/types.h"

namespace ws::spirv {
namespace {

bool is_resource(const Instruction& variable) {
  const auto storage = static_cast<StorageClass>(variable.operand(2));
  return variable.op == Op::kVariable &&
         (storage == StorageClass::kStorageBuffer || storage == StorageClass::kUniform);
}

/// The entry point without what is no variable.
void put_entry_point(Words& into, const Instruction& entry,
                     std::span<const Instruction> instructions) {
  constexpr std::size_t kName = 2;
  const std::size_t start = into.size();
  const std::size_t names = kName + entry.text_words(kName) + 1;
  for (std::size_t at = 0; at < entry.words.size(); ++at) {
    const bool kept =
        at < names || std::ranges::any_of(
                          instructions,
                          [&](const Instruction& each) {
                            return each.op == Op::kVariable && each.operand(1) == entry.words[at];
                          });
    if (kept) {
      into.push_back(entry.words[at]);
    }
  }
  into[start] = static_cast<std::uint32_t>(into.size() - start) << kLengthShift |
                static_cast<std::uint32_t>(Op::kEntryPoint);
}

void put_decoration(Words& into, Id id, Decoration kind, std::uint32_t value) {
  constexpr std::uint32_t kLength = 4U << 16U;
  into.insert(into.end(), {kLength | static_cast<std::uint32_t>(Op::kDecorate), id,
                           static_cast<std::uint32_t>(kind), value});
}

}  // namespace

Result<Words> bind_in_order(const Words& words) {
  WS_TRY(const std::vector<Instruction> instructions, instructions_of(words));
  Words bound(words.begin(), words.begin() + kHeaderWords);
  const auto is_annotation = [](const Instruction& each) {
    return each.op == Op::kDecorate || each.op == Op::kMemberDecorate;
  };
  const auto says_where = [](const Instruction& each) {
    const auto kind = static_cast<Decoration>(each.operand(1));
    return each.op == Op::kDecorate &&
           (kind == Decoration::kBinding || kind == Decoration::kDescriptorSet);
  };
  bool written = false;
  for (const Instruction& each : instructions) {
    if (is_annotation(each) && !written) {
      written = true;
      std::uint32_t number = 0;
      for (const Instruction& variable : instructions) {
        if (is_resource(variable)) {
          put_decoration(bound, variable.operand(1), Decoration::kDescriptorSet, 0);
          put_decoration(bound, variable.operand(1), Decoration::kBinding, number++);
        }
      }
    }
    if (each.op == Op::kEntryPoint) {
      put_entry_point(bound, each, instructions);
    } else if (!says_where(each)) {
      bound.insert(bound.end(), each.words.begin(), each.words.end());
    }
  }
  return bound;
}

}  // namespace ws::spirv
