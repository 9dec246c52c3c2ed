#include "runtime/evaluate/measure/gemm_call.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "runtime/evaluate/measure/library_arguments.h"

namespace ws {
namespace {

constexpr std::array kGemmInputs = {DType::kF16, DType::kBf16, DType::kF32, DType::kTf32,
                                    DType::kF64};
constexpr const char* kGemmInputNames = "f16, bf16, f32, tf32 and f64";

Error not_a_gemm(const Problem& problem, const std::string& reason) {
  return not_for_library(Library::kCublas, problem, reason);
}

Status check_types(const Problem& problem, const LibraryArguments& arguments) {
  const LibraryArgument& first = arguments.inputs.front();
  for (const LibraryArgument& input : arguments.inputs) {
    if (std::ranges::find(kGemmInputs, input.arg->type) == kGemmInputs.end()) {
      return fail(not_a_gemm(problem, "`" + input.arg->name + "` is " +
                                          std::string(name_of(input.arg->type)) +
                                          "; it multiplies " + kGemmInputNames));
    }
    if (input.arg->type != first.arg->type) {
      return fail(not_a_gemm(
          problem, "`" + first.arg->name + "` is " + std::string(name_of(first.arg->type)) +
                       " and `" + input.arg->name + "` " + std::string(name_of(input.arg->type))));
    }
  }
  const DType result = arguments.output.arg->type;
  const bool widened = size_of(first.arg->type) == size_of(DType::kF16) && result == DType::kF32;
  const bool stored = first.arg->type == DType::kTf32 && result == DType::kF32;
  if (result != first.arg->type && !widened && !stored) {
    return fail(not_a_gemm(problem, "a product of " + std::string(name_of(first.arg->type)) +
                                        " is not written as " + std::string(name_of(result))));
  }
  return {};
}

/// The extents of a matrix by name: "" for a batch that it does not have.
struct MatrixNames {
  std::string batch;
  std::string rows;
  std::string columns;
};

std::optional<MatrixNames> names_of(const LibraryArgument& argument) {
  const std::vector<std::string>& shape = argument.arg->shape;
  if (shape.size() == 2) {
    return MatrixNames{{}, shape[0], shape[1]};
  }
  if (shape.size() == 3) {
    return MatrixNames{shape[0], shape[1], shape[2]};
  }
  return std::nullopt;
}

/// A matrix, or the transpose of each of a batch.
GemmMatrix matrix_of(const LibraryArgument& argument, bool transposed) {
  const std::vector<std::int64_t>& strides = argument.buffer->strides;
  const std::size_t rank = strides.size();
  const std::int64_t rows = strides[rank - 2];
  const std::int64_t columns = strides[rank - 1];
  return {.buffer = argument.index,
          .batch_stride = rank == 3 ? strides[0] : 0,
          .row_stride = transposed ? columns : rows,
          .column_stride = transposed ? rows : columns};
}

/// Whether the elements along an axis are neighbours.
bool is_dense(const BufferSpec& buffer, std::size_t axis) {
  return buffer.strides[axis] == 1 || buffer.shape[axis] == 1;
}

/// Whether a line along a dense axis ends before the next one begins.
bool is_apart(const BufferSpec& buffer, std::size_t axis, std::size_t other) {
  return buffer.shape[other] == 1 || buffer.strides[other] >= buffer.shape[axis];
}

/// @param argument  Has the shape of a matrix, or of a batch of them.
Status check_strides(const Problem& problem, const LibraryArgument& argument) {
  const BufferSpec& buffer = *argument.buffer;
  const std::size_t columns = buffer.shape.size() - 1;
  const std::size_t rows = columns - 1;
  const std::array axes = {std::pair{rows, columns}, std::pair{columns, rows}};
  if (!is_dense(buffer, rows) && !is_dense(buffer, columns)) {
    return fail(
        not_a_gemm(problem, "neither rows nor columns of " + argument.text() + " are dense"));
  }
  if (std::ranges::none_of(axes, [&](const auto& pair) {
        return is_dense(buffer, pair.first) && is_apart(buffer, pair.first, pair.second);
      })) {
    return fail(not_a_gemm(problem, "rows or columns of " + argument.text() + " overlap"));
  }
  return {};
}

/// Which input is multiplied by which, and how.
struct Pairing {
  const LibraryArgument* left;
  const LibraryArgument* right;
  bool left_transposed;
  bool right_transposed;
};

/// Nothing: no way of multiplying the inputs gives extents of these names.
std::optional<Pairing> pair_up(const LibraryArguments& arguments, const MatrixNames& product) {
  for (const bool swapped : {false, true}) {
    const LibraryArgument& left = arguments.inputs[swapped ? 1 : 0];
    const LibraryArgument& right = arguments.inputs[swapped ? 0 : 1];
    for (const auto& [left_transposed, right_transposed] :
         {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
      const MatrixNames a = *names_of(left);
      const MatrixNames b = *names_of(right);
      const bool sums =
          (left_transposed ? a.rows : a.columns) == (right_transposed ? b.columns : b.rows);
      const bool gives = (left_transposed ? a.columns : a.rows) == product.rows &&
                         (right_transposed ? b.rows : b.columns) == product.columns;
      if (sums && gives) {
        return Pairing{&left, &right, left_transposed, right_transposed};
      }
    }
  }
  return std::nullopt;
}

std::string multiplication(const LibraryArguments& arguments) {
  return arguments.inputs[0].text() + " and " + arguments.inputs[1].text() +
         " are not multiplied "
         "to " +
         arguments.output.text() + " by the names of their extents";
}

}  // namespace

Result<GemmCall> gemm_call(const Problem& problem, const ResolvedPlan& plan,
                           const Workload& workload) {
  WS_TRY(const LibraryArguments arguments,
         library_arguments({Library::kCublas, 2, "alpha"}, problem, plan, workload));
  WS_CHECK(check_types(problem, arguments));
  const std::optional<MatrixNames> product = names_of(arguments.output);
  for (const LibraryArgument& each : {arguments.inputs[0], arguments.inputs[1], arguments.output}) {
    const std::optional<MatrixNames> names = names_of(each);
    if (!product || !names || (!names->batch.empty() && names->batch != product->batch)) {
      return fail(not_a_gemm(problem, multiplication(arguments)));
    }
    WS_CHECK(check_strides(problem, each));
  }
  const std::optional<Pairing> pairing = pair_up(arguments, *product);
  if (!pairing) {
    return fail(not_a_gemm(problem, multiplication(arguments)));
  }
  const std::vector<std::int64_t>& shape = arguments.output.buffer->shape;
  const std::vector<std::int64_t>& left = pairing->left->buffer->shape;
  return GemmCall{.type = arguments.inputs.front().arg->type,
                  .result = arguments.output.arg->type,
                  .batch = shape.size() == 3 ? shape[0] : 1,
                  .m = shape[shape.size() - 2],
                  .n = shape[shape.size() - 1],
                  .k = left[left.size() - (pairing->left_transposed ? 2 : 1)],
                  .alpha = arguments.factor.value_or(1),
                  .a = matrix_of(*pairing->left, pairing->left_transposed),
                  .b = matrix_of(*pairing->right, pairing->right_transposed),
                  .c = matrix_of(arguments.output, false)};
}

}  // namespace ws
