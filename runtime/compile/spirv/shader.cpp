#include "runtime/compile/spirv/shader.h"

#include <algorithm>

#include "runtime/compile/spirv/types.h"
#include "runtime/compile/spirv/uses.h"

namespace ws::spirv {
namespace {

constexpr std::uint64_t kMostBlockBytes = 65536;

std::string quote(const std::string& name) {
  return "`" + name + "`";
}

/// Reads what stands before the first function.
class ShaderReader {
 public:
  explicit ShaderReader(std::span<const Instruction> instructions)
      : instructions_(instructions),
        types_(instructions),
        uses_(instructions, types_) {}

  Result<Shader> read() {
    for (const Instruction& instruction : instructions_) {
      WS_CHECK(read(instruction));
    }
    if (entry_ == 0) {
      return fail(ErrorCode::kInvalidArgument, "the module has no compute shader");
    }
    return std::move(shader_);
  }

 private:
  Status read(const Instruction& instruction) {
    switch (instruction.op) {
      case Op::kCapability:
        shader_.capabilities.push_back(instruction.operand(0));
        return {};
      case Op::kEntryPoint:
        if (instruction.operand(0) == kModelGlCompute) {
          entry_ = instruction.operand(1);
          shader_.entry = instruction.text(2);
        }
        return {};
      case Op::kExecutionMode:
        if (instruction.operand(1) == kModeLocalSize) {
          shader_.block = {instruction.operand(2), instruction.operand(3), instruction.operand(4)};
        }
        return {};
      case Op::kConstantComposite:
      case Op::kSpecConstantComposite:
        read_group_size(instruction);
        return {};
      case Op::kVariable:
        return read_variable(instruction);
      default:
        return {};
    }
  }

  /// The constant that is decorated WorkgroupSize overrules the mode.
  void read_group_size(const Instruction& constant) {
    if (types_.decoration(constant.operand(1), Decoration::kBuiltIn) != kBuiltInWorkgroupSize) {
      return;
    }
    for (std::size_t axis = 0; axis < shader_.block.size(); ++axis) {
      shader_.block.at(axis) = types_.constant(constant.operand(2 + axis)).value_or(1);
    }
  }

  Status read_variable(const Instruction& variable) {
    const Id type = types_.pointee(variable.operand(0));
    const Id id = variable.operand(1);
    if (!uses_.has(id)) {
      return {};
    }
    switch (static_cast<StorageClass>(variable.operand(2))) {
      case StorageClass::kWorkgroup:
        shader_.shared_bytes += static_cast<std::int64_t>(types_.size(type));
        return {};
      case StorageClass::kPushConstant:
        shader_.push_bytes = static_cast<std::uint32_t>(types_.size(type));
        return read_constants(id, type, Constant::kPushed);
      case StorageClass::kStorageBuffer:
        if (types_.decoration(id, Decoration::kDescriptorSet) == kReportSet) {
          return {};  // A build that checks has it beside its arguments.
        }
        return read_buffer(id, type);
      case StorageClass::kUniform:
        return read_block(id, type);
      case StorageClass::kUniformConstant:
        return fail(ErrorCode::kInvalidArgument,
                    quote(types_.name(id)) +
                        " is an image, a typed buffer or a sampler, which no argument is",
                    "use a StructuredBuffer, a ByteAddressBuffer or a `buffer` block");
      default:
        return {};
    }
  }

  Status read_buffer(Id id, Id type) {
    const Instruction* const block = types_.find(type);
    if (block == nullptr || block->op != Op::kTypeStruct || block->operands() < 2) {
      return fail(ErrorCode::kInvalidArgument,
                  quote(types_.name(id)) + " is an array of buffers, which no argument is");
    }
    const auto last = static_cast<std::uint32_t>(block->operands() - 2);
    Binding binding;
    binding.name = types_.name(id).empty() ? types_.member_name(type, last) : types_.name(id);
    binding.variable = id;
    binding.number = types_.decoration(id, Decoration::kBinding).value_or(0);
    const Instruction* const number = types_.number_in(type);
    binding.type = "a buffer of " + (number == nullptr ? "structs" : number_name(*number));
    binding.element = number == nullptr ? "" : number_dtype(*number);
    shader_.bindings.push_back(std::move(binding));
    return {};
  }

  Status read_block(Id id, Id type) {
    if (types_.decoration(type, Decoration::kBufferBlock)) {
      return read_buffer(id, type);
    }
    Binding binding;
    binding.name = types_.name(id).empty() ? types_.name(type) : types_.name(id);
    binding.variable = id;
    binding.number = types_.decoration(id, Decoration::kBinding).value_or(0);
    binding.uniform = true;
    const std::uint64_t bytes = types_.size(type);
    if (bytes == 0 || bytes > kMostBlockBytes) {
      return fail(ErrorCode::kInvalidArgument,
                  "the block " + quote(binding.name) + " has " + std::to_string(bytes) +
                      " bytes; at most " + std::to_string(kMostBlockBytes) + " are allowed");
    }
    binding.bytes = static_cast<std::uint32_t>(bytes);
    shader_.bindings.push_back(std::move(binding));
    return read_constants(id, type, shader_.bindings.size() - 1);
  }

  Status read_constants(Id variable, Id type, std::size_t binding) {
    const Instruction* const block = types_.find(type);
    for (std::uint32_t member = 0; block != nullptr && member + 1 < block->operands(); ++member) {
      if (!uses_.has_member(variable, member)) {
        continue;
      }
      const Instruction* const number = types_.find(block->operand(member + 1));
      Constant constant;
      constant.name = types_.member_name(type, member);
      if (number == nullptr || (number->op != Op::kTypeInt && number->op != Op::kTypeFloat)) {
        return fail(ErrorCode::kInvalidArgument,
                    "the constant " + quote(constant.name) + " is no number, which arguments are",
                    "declare its components one by one");
      }
      constant.binding = binding;
      constant.offset = types_.member_decoration(type, member, Decoration::kOffset).value_or(0);
      constant.size = static_cast<std::uint32_t>(types_.size(block->operand(member + 1)));
      constant.integer = number->op == Op::kTypeInt;
      constant.type = number_name(*number);
      shader_.constants.push_back(std::move(constant));
    }
    return {};
  }

  std::span<const Instruction> instructions_;
  Types types_;
  Uses uses_;
  Id entry_ = 0;
  Shader shader_;
};

}  // namespace

Result<Shader> read_shader(std::span<const std::uint32_t> words) {
  WS_TRY(const std::vector<Instruction> instructions, instructions_of(words));
  return ShaderReader(instructions).read();
}

std::vector<EntryParam> params_of(const Shader& shader) {
  std::vector<EntryParam> params;
  for (const Binding& binding : shader.bindings) {
    if (!binding.uniform) {
      EntryParam param;
      param.name = binding.name;
      param.type = binding.type;
      param.size = sizeof(std::uint64_t);
      param.pointer = true;
      param.element = binding.element;
      params.push_back(std::move(param));
    }
  }
  for (const Constant& constant : shader.constants) {
    EntryParam param;
    param.name = constant.name;
    param.type = constant.type;
    param.size = constant.size;
    param.integer = constant.integer;
    params.push_back(std::move(param));
  }
  return params;
}

}  // namespace ws::spirv
