// The arguments of a CuIR program: found by name, filled from memory, and read back.
#include <algorithm>

#include "runtime/ir/syntax/reserved.h"
#include "runtime/reference/cuir_program.h"

namespace ws {
namespace {

ir::TensorRole role_of(BufferRole role) {
  if (role == BufferRole::kIn) {
    return ir::TensorRole::kIn;
  }
  return role == BufferRole::kOut ? ir::TensorRole::kOut : ir::TensorRole::kInOut;
}

ir::Value value_of(DType type, double value) {
  if (type == DType::kBool) {
    return ir::Value::truth(value != 0);
  }
  return is_float(type) ? ir::Value::real(value) : ir::Value::of(static_cast<std::int64_t>(value));
}

/// `f32[128, 64]` as an argument that is read and written.
Result<ir::Tensor> tensor_of(const ir::Program& program, const ir::Param& param) {
  const std::string needs =
      "parameter `" + param.name + "` of __init__ has no type and sizes of its own";
  const std::string hint =
      "annotate it, as in `" + param.name + ": f32[128, 64]`, or send a problem_id";
  if (param.annotation == ir::kNoExpr) {
    return fail(ErrorCode::kInvalidArgument, needs, hint);
  }
  const ir::Expr& expr = program.expr(param.annotation);
  const auto dtype = expr.kind == ir::ExprKind::kIndex
                         ? parse_dtype(program.expr(expr.kids[0]).text)
                         : std::nullopt;
  if (!dtype) {
    return fail(ErrorCode::kInvalidArgument, needs, hint);
  }
  ir::Tensor tensor{param.name, *dtype, {}, ir::TensorRole::kInOut, {}};
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const ir::Expr& size = program.expr(expr.kids[i]);
    if (size.kind != ir::ExprKind::kInteger) {
      return fail(ErrorCode::kInvalidArgument,
                  "size " + std::to_string(i) + " of parameter `" + param.name +
                      "` of __init__ is not a number",
                  hint);
    }
    tensor.shape.push_back(size.integer);
  }
  return tensor;
}

}  // namespace

Status CuirProgram::bind() {
  for (const HostTensor& tensor : job_.tensors) {
    tensors_.push_back(
        {ir::free_name(tensor.name), tensor.type, tensor.shape, role_of(tensor.role), {}});
  }
  const ir::Method* init = program_.find_method("__init__");
  if (init == nullptr) {
    return {};  // The checker says so.
  }
  bind_numbers(*init);
  return job_.cuir.own_inputs ? bind_own_inputs(*init) : Status();
}

void CuirProgram::bind_numbers(const ir::Method& init) {
  for (const ir::Param& param : init.params) {
    const auto scalar = std::find_if(
        job_.scalars.begin(), job_.scalars.end(),
        [&](const HostScalar& candidate) { return ir::free_name(candidate.name) == param.name; });
    const auto dim = std::find_if(job_.dims.begin(), job_.dims.end(), [&](const auto& candidate) {
      return ir::free_name(candidate.first) == param.name;
    });
    if (scalar != job_.scalars.end()) {
      scalars_.push_back({param.name, value_of(scalar->type, scalar->value)});
    } else if (dim != job_.dims.end()) {
      scalars_.push_back({param.name, ir::Value::of(dim->second)});
    }
  }
}

Status CuirProgram::bind_own_inputs(const ir::Method& init) {
  for (const ir::Param& param : init.params) {
    if (param.default_value == ir::kNoExpr) {
      WS_TRY(ir::Tensor tensor, tensor_of(program_, param));
      tensors_.push_back(std::move(tensor));
    }
  }
  return {};
}

void CuirProgram::load_inputs(std::span<const std::byte> arena) {
  for (std::size_t i = 0; i < job_.tensors.size(); ++i) {
    if (tensors_[i].role == ir::TensorRole::kOut) {
      continue;
    }
    const std::byte* const data = arena.data() + job_.tensors[i].offset;
    tensors_[i].data.resize(static_cast<std::size_t>(ir::count_of(tensors_[i].shape).value_or(0)));
    for (std::size_t at = 0; at < tensors_[i].data.size(); ++at) {
      tensors_[i].data[at] = load_element(job_.tensors[i].wire, data, at);
    }
  }
}

// No zeros: they would hide what is multiplied by them. Integers are small, as they may be indices.
void CuirProgram::draw_inputs() {
  constexpr double kUnit = 0x1p-10;
  constexpr std::uint64_t kSteps = 1024;
  constexpr std::uint64_t kIntegers = 4;
  std::uint64_t state = job_.cuir.seed;
  for (ir::Tensor& tensor : tensors_) {
    const std::int64_t count =
        std::min(ir::count_of(tensor.shape).value_or(0), ir::kMaxTensorElements);
    tensor.data.resize(static_cast<std::size_t>(count));
    for (double& element : tensor.data) {
      const std::uint64_t random = ir::next_random(state);
      const double size = static_cast<double>(random % kSteps + 1) * kUnit;
      element = is_float(tensor.dtype) ? (random >> 63U == 0 ? size : -size)
                                       : static_cast<double>(random % kIntegers + 1);
    }
  }
}

void CuirProgram::store_outputs(const ir::RunReport& report, std::span<std::byte> arena) const {
  for (const ir::Tensor& output : report.outputs) {
    for (const HostTensor& tensor : job_.tensors) {
      for (std::size_t i = 0; ir::free_name(tensor.name) == output.name && i < output.data.size();
           ++i) {
        store_element(tensor.wire, arena.data() + tensor.offset, i, output.data[i]);
      }
    }
  }
}

}  // namespace ws
