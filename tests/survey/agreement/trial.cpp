#include "tests/survey/agreement/trial.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/base/mix64.h"
#include "tests/support/buffers.h"

namespace ws::survey {
namespace {

/// As many as three dimensions of 64.
constexpr std::int64_t kElements = std::int64_t{1} << 18U;
/// Enough for most kernels that ask for it at the launch, and allowed without asking.
constexpr std::int64_t kSharedBytes = 32768;
constexpr double kFloatArgument = 0.75;

constexpr std::array kTrials = {
    Trial{{4, 1, 1}, {256, 1, 1}, 64},   Trial{{4, 4, 1}, {16, 16, 1}, 64},
    Trial{{64, 1, 1}, {32, 1, 1}, 64},   Trial{{2, 2, 1}, {32, 32, 1}, 64},
    Trial{{8, 8, 1}, {32, 8, 1}, 64},    Trial{{16, 1, 1}, {64, 1, 1}, 32},
    Trial{{2, 2, 1}, {16, 16, 1}, 32},   Trial{{32, 1, 1}, {32, 1, 1}, 32},
    Trial{{1, 1, 1}, {1024, 1, 1}, 32},  Trial{{2, 2, 2}, {8, 8, 4}, 16},
    Trial{{16, 16, 1}, {128, 1, 1}, 16}, Trial{{16, 1, 1}, {256, 1, 1}, 16},
    Trial{{1, 1, 1}, {64, 1, 1}, 100},   Trial{{3, 3, 1}, {16, 16, 1}, 37},
    Trial{{1, 1, 1}, {32, 1, 1}, 8},     Trial{{8, 8, 1}, {64, 1, 1}, 8},
    Trial{{4, 1, 1}, {4, 1, 1}, 4},      Trial{{1, 1, 1}, {1, 1, 1}, 4},
};

constexpr std::array<std::pair<std::string_view, DType>, 43> kTypes = {{
    {"float", DType::kF32},
    {"float2", DType::kF32},
    {"float3", DType::kF32},
    {"float4", DType::kF32},
    {"double", DType::kF64},
    {"double2", DType::kF64},
    {"double4", DType::kF64},
    {"half", DType::kF16},
    {"__half", DType::kF16},
    {"half2", DType::kF16},
    {"__half2", DType::kF16},
    {"__nv_bfloat16", DType::kBf16},
    {"nv_bfloat16", DType::kBf16},
    {"__nv_bfloat162", DType::kBf16},
    {"int", DType::kI32},
    {"int2", DType::kI32},
    {"int4", DType::kI32},
    {"unsigned int", DType::kU32},
    {"uint", DType::kU32},
    {"uint2", DType::kU32},
    {"uint4", DType::kU32},
    {"long", DType::kI64},
    {"long long", DType::kI64},
    {"unsigned long", DType::kU64},
    {"unsigned long long", DType::kU64},
    {"size_t", DType::kU64},
    {"short", DType::kI16},
    {"unsigned short", DType::kU16},
    {"char", DType::kI8},
    {"signed char", DType::kI8},
    {"unsigned char", DType::kU8},
    {"uchar4", DType::kU8},
    {"char4", DType::kI8},
    {"bool", DType::kBool},
    {"int8_t", DType::kI8},
    {"uint8_t", DType::kU8},
    {"int16_t", DType::kI16},
    {"uint16_t", DType::kU16},
    {"int32_t", DType::kI32},
    {"uint32_t", DType::kU32},
    {"int64_t", DType::kI64},
    {"uint64_t", DType::kU64},
    {"uchar", DType::kU8},
}};

/// The type without what does not change its size.
std::string bare(std::string type) {
  for (const std::string_view word :
       {"const", "volatile", "__restrict__", "__restrict", "restrict"}) {
    for (std::size_t at = type.find(word); at != std::string::npos; at = type.find(word)) {
      type.erase(at, word.size());
    }
  }
  const auto blank = [](char c) { return c == ' '; };
  const auto ends =
      std::unique(type.begin(), type.end(), [&](char a, char b) { return blank(a) && blank(b); });
  type.erase(ends, type.end());
  type.erase(type.begin(), std::find_if_not(type.begin(), type.end(), blank));
  type.erase(std::find_if_not(type.rbegin(), type.rend(), blank).base(), type.end());
  return type;
}

std::optional<DType> type_of(std::string_view name) {
  const auto* const at = std::find_if(kTypes.begin(), kTypes.end(),
                                      [&](const auto& row) { return row.first == name; });
  return at == kTypes.end() ? std::nullopt : std::optional(at->second);
}

tl::unexpected<Error> no_kind(const EntryParam& param) {
  return fail(ErrorCode::kInvalidArgument, "a parameter of type `" + param.type +
                                               "` is neither a number nor a pointer to numbers");
}

std::optional<DType> element_of(std::string type) {
  type = bare(std::move(type));
  if (type.ends_with("*")) {
    type.pop_back();
  }
  return type_of(bare(std::move(type)));
}

Result<BufferSpec> buffer_of(const EntryParam& param, const std::string& other_type) {
  std::optional<DType> element = element_of(param.type);
  if (!element) {
    element = element_of(other_type);
  }
  if (!element) {
    return no_kind(param);
  }
  return test::buffer_of(param.name, *element, kElements);
}

Result<LaunchArg> scalar_of(const EntryParam& param, const std::string& other_type,
                            const Trial& trial) {
  LaunchArg scalar;
  scalar.text = param.name;
  if (!param.integer) {
    std::optional<DType> type = type_of(bare(param.type));
    if (!type) {
      type = type_of(bare(other_type));
    }
    if (!type || !is_float(*type) || size_of(*type) != param.size) {
      return no_kind(param);
    }
    scalar.type = *type;
    scalar.float_value = kFloatArgument;
    return scalar;
  }
  constexpr std::array<std::pair<std::uint32_t, DType>, 4> by_size = {
      {{1, DType::kI8}, {2, DType::kI16}, {4, DType::kI32}, {8, DType::kI64}}};
  const auto* const at = std::find_if(by_size.begin(), by_size.end(),
                                      [&](const auto& row) { return row.first == param.size; });
  if (at == by_size.end()) {
    return no_kind(param);
  }
  scalar.type = bare(param.type) == "bool" ? DType::kBool : at->second;
  scalar.int_value = scalar.type == DType::kBool ? 1 : trial.number;
  return scalar;
}

}  // namespace

std::span<const Trial> trials() {
  return kTrials;
}

Result<ResolvedPlan> plan_of(const CompiledEntry& entry, const CompiledEntry& for_gpu,
                             const Trial& trial) {
  ResolvedPlan plan;
  LaunchStep step;
  step.entry = entry.name;
  step.grid = trial.grid;
  step.block = trial.block;
  step.shared_bytes = entry.shared_bytes + kSharedBytes <= 49152 ? kSharedBytes : 0;
  for (std::size_t i = 0; i < entry.params.size(); ++i) {
    const EntryParam& param = entry.params[i];
    const std::string other_type =
        i < for_gpu.params.size() ? for_gpu.params[i].type : std::string();
    if (!param.pointer) {
      WS_TRY(LaunchArg scalar, scalar_of(param, other_type, trial));
      step.args.push_back(scalar);
      continue;
    }
    WS_TRY(BufferSpec buffer, buffer_of(param, other_type));
    LaunchArg argument;
    argument.kind = LaunchArg::Kind::kBuffer;
    argument.buffer = static_cast<int>(plan.buffers.size());
    argument.text = param.name;
    step.args.push_back(argument);
    plan.buffers.push_back(std::move(buffer));
  }
  plan.steps = {std::move(step)};
  return plan;
}

void fill(const ResolvedPlan& plan, const Trial& trial, const Arena& arena) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    for (std::int64_t element = 0; element < buffer.elements; ++element) {
      const std::uint64_t drawn =
          mix64(static_cast<std::uint64_t>(element) * plan.buffers.size() + i + 1);
      const double value =
          is_float(buffer.type)
              ? 0.125 + 0.75 * static_cast<double>(drawn >> 40U) / 0x1p24
              : static_cast<double>(drawn % static_cast<std::uint64_t>(
                                                buffer.type == DType::kBool ? 2 : trial.number));
      store_element(buffer.type, arena.buffer(i).data(), static_cast<std::size_t>(element), value);
    }
  }
}

}  // namespace ws::survey
