#include "runtime/compile/spirv/bounds.h"

#include <algorithm>
#include <map>

#include "runtime/compile/spirv/chains.h"
#include "runtime/compile/spirv/check_function.h"
#include "runtime/compile/spirv/editor.h"
#include "runtime/compile/spirv/kinds.h"
#include "runtime/compile/spirv/shader.h"

namespace ws::spirv {
namespace {

class BoundsPass {
 public:
  /// @param shader  Of the same module.
  BoundsPass(std::span<const Instruction> instructions, const Words& words, const Shader& shader)
      : instructions_(instructions),
        editor_(instructions, words),
        chains_(instructions, editor_.types()),
        check_(editor_) {
    for (const Binding& binding : shader.bindings) {
      if (!binding.uniform) {
        params_.insert({binding.variable, static_cast<std::uint32_t>(params_.size())});
      }
    }
    for (const Instruction& each : instructions) {
      note_place(each);
      if (each.op == Op::kEntryPoint) {
        entry_ = each.operand(1);
      }
      if (each.op == Op::kLoopMerge) {
        loops_.insert({each.operand(1), place_});
      }
    }
  }

  Result<CheckedShader> run() {
    Words bodies;
    bool inside = false;
    for (const Instruction& each : instructions_) {
      inside = inside || each.op == Op::kFunction;
      if (!inside) {
        continue;
      }
      note_place(each);
      count_turn(each, bodies);
      if (each.op == Op::kFunction) {
        function_ = each.operand(1);
      }
      if (each.op == Op::kReturn && function_ == entry_) {
        append(bodies, check_.call_report());
      }
      append(bodies, is_chain(each.op) ? checked(each, bodies)
                                       : Words(each.words.begin(), each.words.end()));
    }
    if (!unknown_.empty()) {
      return fail(
          ErrorCode::kInvalidArgument,
          "an index into `" + unknown_ +
              "` cannot be checked: it has 64 bits, or the buffer is chosen as the shader runs",
          "use indices of 32 bits, and choose among values, not among buffers");
    }
    const Words function = check_.write();
    shader_.code.words = editor_.finish(bodies, function);
    return std::move(shader_);
  }

 private:
  /// Counts at the start of the block that every turn of a loop goes through.
  void count_turn(const Instruction& each, Words& bodies) {
    const bool first = each.op != Op::kPhi && each.op != Op::kLine && each.op != Op::kNoLine;
    if (first && loop_ != nullptr) {
      const auto number = static_cast<std::uint32_t>(shader_.code.accesses.size());
      CheckedAccess turn;
      turn.site = static_cast<std::uint32_t>(shader_.sites.size());
      shader_.sites.push_back(*loop_);
      shader_.code.accesses.push_back(turn);
      append(bodies, check_.call_turn(number));
      loop_ = nullptr;
    }
    if (each.op == Op::kLabel) {
      const auto found = loops_.find(each.operand(0));
      loop_ = found == loops_.end() ? nullptr : &found->second;
    }
  }

  void note_place(const Instruction& each) {
    if (each.op == Op::kLine) {
      place_ = {file_name(each.operand(0)), static_cast<int>(each.operand(1)),
                static_cast<int>(each.operand(2))};
    } else if (each.op == Op::kNoLine || each.op == Op::kFunctionEnd) {
      place_ = {};
    }
  }

  [[nodiscard]] std::string file_name(Id id) const {
    for (const Instruction& each : instructions_) {
      if (each.op == Op::kString && each.operand(0) == id) {
        return each.text(1);
      }
    }
    return {};
  }

  /// The chain with its indices checked.
  /// @param before  Takes what has to come first.
  Words checked(const Instruction& chain, Words& before) {
    Words copy(chain.words.begin(), chain.words.end());
    Id type = editor_.types().pointee(chains_.type_of(chain.operand(kBase)));
    for (std::size_t at = kFirstIndex; at < chain.operands() && type != 0; ++at) {
      const Id index = chain.operand(at);
      const Instruction* const maker = editor_.types().find(type);
      if (maker == nullptr) {
        break;
      }
      if (maker->op == Op::kTypeStruct) {
        type = maker->operand(editor_.types().constant(index).value_or(0) + 1);
        continue;
      }
      // Constants are within the lengths that are declared: a module is not valid otherwise.
      const bool known = editor_.types().constant(index).has_value();
      if (maker->op == Op::kTypeRuntimeArray || !known) {
        if (const Id length = length_of(chain, at, *maker, before); length != 0) {
          copy[at + 1] = check(chain, index, length, type, before);
        }
      }
      type = editor_.types().element(type);
    }
    return copy;
  }

  /// The length of what index `at` of the chain goes into; 0: nobody knows.
  Id length_of(const Instruction& chain, std::size_t at, const Instruction& type, Words& before) {
    if (type.op != Op::kTypeRuntimeArray) {
      const std::uint32_t length = editor_.types().length(type.operand(0));
      return length == 0 ? 0 : editor_.constant(length);
    }
    // The array is a member of a block: of this chain's base, or of its base's base.
    const Instruction* const outer = chains_.outer(chain);
    const Instruction* const to_member = at == kFirstIndex + 1 ? &chain : outer;
    const bool one = to_member == &chain || (to_member != nullptr && at == kFirstIndex &&
                                             to_member->operands() == kFirstIndex + 1);
    const auto member = one ? editor_.types().constant(to_member->operand(kFirstIndex))
                            : std::optional<std::uint32_t>();
    if (!member) {
      unknown_ = chains_.name_of(chains_.variable_of(chain));
      return 0;
    }
    const Id length = editor_.fresh();
    append(before, instruction(Op::kArrayLength,
                               {check_.word(), length, to_member->operand(kBase), *member}));
    return length;
  }

  Id check(const Instruction& chain, Id index, Id length, Id array, Words& before) {
    const auto number = static_cast<std::uint32_t>(shader_.code.accesses.size());
    shader_.code.accesses.push_back(access_of(chain, array));
    const Instruction* const type = editor_.types().find(chains_.type_of(index));
    if (type == nullptr || type->op != Op::kTypeInt || type->operand(1) > kWordBits) {
      unknown_ = chains_.name_of(chains_.variable_of(chain));
      return index;
    }
    const Id word = check_.as_word(index, *type, before);
    const Id safe = editor_.fresh();
    append(before, check_.call(safe, word, length, number));
    return safe;
  }

  CheckedAccess access_of(const Instruction& chain, Id array) {
    const Id base = chains_.variable_of(chain);
    CheckedAccess access;
    const Id element = editor_.types().element(array);
    access.element_bytes = editor_.types()
                               .decoration(array, Decoration::kArrayStride)
                               .value_or(static_cast<std::uint32_t>(editor_.types().size(element)));
    access.write = chains_.is_written(chain) ? 1 : 0;
    const auto param = params_.find(base);
    if (editor_.types().find(array)->op == Op::kTypeRuntimeArray && param != params_.end()) {
      access.param = param->second;
    }
    const std::string name = chains_.name_of(base);
    const auto known = std::ranges::find(shader_.objects, name);
    access.object = static_cast<std::uint32_t>(known - shader_.objects.begin());
    if (known == shader_.objects.end()) {
      shader_.objects.push_back(name);
    }
    access.site = static_cast<std::uint32_t>(shader_.sites.size());
    shader_.sites.push_back(place_);
    return access;
  }

  std::span<const Instruction> instructions_;
  ModuleEditor editor_;
  Chains chains_;
  CheckFunction check_;
  Id entry_ = 0;
  Id function_ = 0;  // Where run() is.
  std::map<Id, std::uint32_t> params_;
  std::string unknown_;         // A buffer whose length nobody knows.
  std::map<Id, Site> loops_;    // By the block that each turn goes through.
  const Site* loop_ = nullptr;  // The loop whose block begins here.
  Site place_;
  CheckedShader shader_;
};

}  // namespace

Result<CheckedShader> check_bounds(const Words& words) {
  WS_TRY(const std::vector<Instruction> instructions, instructions_of(words));
  WS_TRY(const Shader shader, read_shader(words));
  return BoundsPass(instructions, words, shader).run();
}

}  // namespace ws::spirv
