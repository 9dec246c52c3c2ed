#include "runtime/evaluate/measure/attention_call.h"

#include <cctype>
#include <cmath>
#include <string_view>

#include "runtime/evaluate/measure/library_arguments.h"

namespace ws {
namespace {

constexpr std::size_t kHeadsRank = 3;  ///< [heads, rows, width]
constexpr std::size_t kBatchRank = 4;  ///< [batch, heads, rows, width]

Error not_an_attention(const Problem& problem, const std::string& reason) {
  return not_for_library(Library::kCudnn, problem, reason);
}

/// q, k and v, by their first letters where each has one of its own.
std::vector<LibraryArgument> in_order(std::vector<LibraryArgument> inputs) {
  constexpr std::string_view kLetters = "qkv";
  std::vector<LibraryArgument> sorted;
  for (const char letter : kLetters) {
    for (const LibraryArgument& input : inputs) {
      if (std::tolower(static_cast<unsigned char>(input.arg->name.front())) == letter) {
        sorted.push_back(input);
      }
    }
  }
  return sorted.size() == inputs.size() ? sorted : inputs;
}

Status check_tensor(const Problem& problem, const LibraryArgument& argument, DType type,
                    std::size_t rank) {
  if (argument.arg->type != type || (type != DType::kF16 && type != DType::kBf16)) {
    return fail(not_an_attention(problem, "`" + argument.arg->name + "` is " +
                                              std::string(name_of(argument.arg->type)) +
                                              "; it takes f16, or bf16, for all"));
  }
  if (argument.buffer->shape.size() != rank || rank < kHeadsRank || rank > kBatchRank) {
    return fail(not_an_attention(problem, argument.text() +
                                              " is neither [heads, rows, width] nor "
                                              "[batch, heads, rows, width], as all have to be"));
  }
  if (argument.buffer->strides.back() != 1) {
    return fail(
        not_an_attention(problem, "the last extent of " + argument.text() + " is not dense"));
  }
  return {};
}

AttentionTensor tensor_of(const LibraryArgument& argument) {
  const std::vector<std::int64_t>& strides = argument.buffer->strides;
  const std::vector<std::int64_t>& shape = argument.buffer->shape;
  if (shape.size() == kBatchRank) {
    return {.buffer = argument.index, .strides = {strides[0], strides[1], strides[2]}};
  }
  return {.buffer = argument.index, .strides = {shape[0] * strides[0], strides[0], strides[1]}};
}

/// Its extent, counted from the last one.
std::int64_t extent(const LibraryArgument& argument, std::size_t from_end) {
  const std::vector<std::int64_t>& shape = argument.buffer->shape;
  return shape.size() < from_end ? 1 : shape[shape.size() - from_end];
}

}  // namespace

Result<AttentionCall> attention_call(const Problem& problem, const ResolvedPlan& plan,
                                     const Workload& workload, bool causal) {
  WS_TRY(LibraryArguments arguments,
         library_arguments({Library::kCudnn, 3, "scale"}, problem, plan, workload));
  const std::vector<LibraryArgument> inputs = in_order(std::move(arguments.inputs));
  const LibraryArgument& q = inputs[0];
  const LibraryArgument& k = inputs[1];
  const LibraryArgument& v = inputs[2];
  const LibraryArgument& o = arguments.output;
  for (const LibraryArgument* each : {&q, &k, &v, &o}) {
    WS_CHECK(check_tensor(problem, *each, q.arg->type, q.buffer->shape.size()));
  }
  const bool fits = extent(k, 1) == extent(q, 1) && extent(v, 2) == extent(k, 2) &&
                    extent(v, 3) == extent(k, 3) && extent(o, 1) == extent(v, 1) &&
                    extent(o, 2) == extent(q, 2) && extent(o, 3) == extent(q, 3) &&
                    extent(k, 4) == extent(q, 4) && extent(v, 4) == extent(q, 4) &&
                    extent(o, 4) == extent(q, 4) && extent(k, 3) > 0 &&
                    extent(q, 3) % extent(k, 3) == 0;
  if (!fits) {
    return fail(not_an_attention(
        problem, q.text() + ", " + k.text() + " and " + v.text() + " do not give " + o.text()));
  }
  return AttentionCall{
      .type = q.arg->type,
      .batch = extent(q, 4),
      .heads = extent(q, 3),
      .kv_heads = extent(k, 3),
      .queries = extent(q, 2),
      .keys = extent(k, 2),
      .width = extent(q, 1),
      .value_width = extent(v, 1),
      .scale = arguments.factor.value_or(1 / std::sqrt(static_cast<double>(extent(q, 1)))),
      .causal = causal,
      .q = tensor_of(q),
      .k = tensor_of(k),
      .v = tensor_of(v),
      .o = tensor_of(o)};
}

}  // namespace ws
