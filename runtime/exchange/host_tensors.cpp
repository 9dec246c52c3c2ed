#include "runtime/exchange/host_tensors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "runtime/base/text.h"

namespace ws {
namespace {

using Kind = HostValue::Kind;

constexpr std::array<std::pair<std::string_view, DType>, 20> kTorchWords = {
    {{"kFloat64", DType::kF64},   {"kDouble", DType::kF64},  {"kFloat32", DType::kF32},
     {"kFloat", DType::kF32},     {"kFloat16", DType::kF16}, {"kHalf", DType::kF16},
     {"kBFloat16", DType::kBf16}, {"kInt64", DType::kI64},   {"kLong", DType::kI64},
     {"kInt32", DType::kI32},     {"kInt", DType::kI32},     {"kInt16", DType::kI16},
     {"kShort", DType::kI16},     {"kInt8", DType::kI8},     {"kChar", DType::kI8},
     {"kUInt8", DType::kU8},      {"kByte", DType::kU8},     {"kBool", DType::kBool},
     {"kUInt32", DType::kU32},    {"kUInt64", DType::kU64}}};

constexpr std::array<std::pair<std::string_view, DType>, 24> kCppTypes = {
    {{"double", DType::kF64},
     {"float", DType::kF32},
     {"half", DType::kF16},
     {"__half", DType::kF16},
     {"__nv_bfloat16", DType::kBf16},
     {"long long", DType::kI64},
     {"long long int", DType::kI64},
     {"int64_t", DType::kI64},
     {"long", DType::kI64},
     {"ptrdiff_t", DType::kI64},
     {"int", DType::kI32},
     {"int32_t", DType::kI32},
     {"short", DType::kI16},
     {"int16_t", DType::kI16},
     {"int8_t", DType::kI8},
     {"unsigned long long", DType::kU64},
     {"uint64_t", DType::kU64},
     {"size_t", DType::kU64},
     {"unsigned int", DType::kU32},
     {"unsigned", DType::kU32},
     {"uint32_t", DType::kU32},
     {"uint16_t", DType::kU16},
     {"uint8_t", DType::kU8},
     {"bool", DType::kBool}}};

template <std::size_t N>
std::optional<DType> found(const std::array<std::pair<std::string_view, DType>, N>& rows,
                           std::string_view word) {
  const auto* const row = std::ranges::find(
      rows, word, [](const std::pair<std::string_view, DType>& each) { return each.first; });
  return row == rows.end() ? std::nullopt : std::optional(row->second);
}

std::optional<HostValue> nothing_of_a_plan() {
  return HostValue{};
}

/// Extents of another tensor, or the list itself.
std::optional<std::vector<std::string>> extents_of(const HostValue& value, const HostScope& scope) {
  if (value.kind == Kind::kSizes) {
    return value.items;
  }
  if (value.kind == Kind::kBuffer) {
    return scope.buffers.find(value.text)->second.shape;
  }
  return std::nullopt;
}

Result<HostValue> number_of(const std::string& text) {
  WS_TRY(const std::string shorter, folded(text));
  return HostValue{.kind = Kind::kNumber, .text = shorter};
}

Result<HostValue> product_of(const std::vector<std::string>& extents, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < extents.size(); ++i) {
    const bool plain = std::ranges::all_of(extents[i], is_word);
    text += (text.empty() ? "" : " * ") + (plain ? extents[i] : "(" + extents[i] + ")");
  }
  const bool one = extents.size() - from <= 1;
  return number_of(text.empty() ? "1" : one ? text : "(" + text + ")");
}

/// The place that an argument names in a list of so many; nothing: it is no number, or outside.
std::optional<std::size_t> place(const std::vector<HostValue>& given, std::size_t count) {
  std::int64_t at = 0;
  if (given.size() != 1 || given[0].kind != Kind::kNumber) {
    return std::nullopt;
  }
  std::string text = given[0].text;
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  const char* const end = text.data() + text.size();
  if (const auto [stop, code] = std::from_chars(text.data(), end, at);
      code != std::errc() || stop != end) {
    return std::nullopt;
  }
  at += at < 0 ? static_cast<std::int64_t>(count) : 0;
  return at < 0 || std::cmp_greater_equal(at, count) ? std::nullopt
                                                     : std::optional<std::size_t>(at);
}

Result<std::optional<HostValue>> tensor_member(const HostValue& value, const std::string& name,
                                               const std::vector<HostValue>& given,
                                               const HostBuffer& buffer) {
  const std::optional<std::size_t> axis = place(given, buffer.shape.size());
  if (name == "size" && axis) {
    WS_TRY(HostValue extent, product_of({buffer.shape[*axis]}, 0));
    return std::optional(std::move(extent));
  }
  if (name == "stride" && axis) {
    WS_TRY(HostValue stride, product_of(buffer.shape, *axis + 1));
    return std::optional(std::move(stride));
  }
  if (name == "numel") {
    WS_TRY(HostValue elements, product_of(buffer.shape, 0));
    return std::optional(std::move(elements));
  }
  if (name == "dim" || name == "ndim" || name == "ndimension") {
    WS_TRY(HostValue rank, number_of(std::to_string(buffer.shape.size())));
    return std::optional(std::move(rank));
  }
  if ((name == "sizes" || name == "shape") && given.empty()) {
    return std::optional(HostValue{.kind = Kind::kSizes, .items = buffer.shape});
  }
  if (name == "options" || name == "scalar_type" || name == "dtype") {
    return std::optional(HostValue{.kind = Kind::kOptions, .type = buffer.type});
  }
  if (name == "device" || name == "get_device") {
    return nothing_of_a_plan();
  }
  constexpr std::array<std::string_view, 5> kSame = {"contiguous", "data_ptr", "const_data_ptr",
                                                     "mutable_data_ptr", "data"};
  const bool same = std::ranges::find(kSame, name) != kSame.end();
  return same ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<DType> type_of_torch_word(std::string_view word) {
  const std::size_t at = word.rfind("::");
  return found(kTorchWords, at == std::string_view::npos ? word : word.substr(at + 2));
}

std::optional<DType> type_of_cpp(std::string_view text) {
  return found(kCppTypes, text.starts_with("const ") ? text.substr(6) : text);
}

Result<std::optional<HostValue>> tensor_call(const std::string& name,
                                             const std::vector<HostValue>& given,
                                             HostScope& scope) {
  const std::size_t at = name.rfind("::");
  const std::string plain = at == std::string::npos ? name : name.substr(at + 2);
  if (plain == "TensorOptions" || plain == "dtype" || plain == "device") {
    const bool typed = !given.empty() && given[0].kind == Kind::kOptions;
    return std::optional(
        HostValue{.kind = Kind::kOptions, .type = typed ? given[0].type : DType::kF32});
  }
  if (plain.starts_with("getCurrentCUDAStream") || plain == "TVMFFIEnvGetStream" ||
      plain == "cudaGetLastError" || plain == "cudaPeekAtLastError") {
    return nothing_of_a_plan();
  }
  const bool like = plain.ends_with("_like");
  const std::string kind = like ? plain.substr(0, plain.size() - 5) : plain;
  if (kind != "empty" && kind != "zeros") {
    return std::optional<HostValue>();
  }
  const auto extents = given.empty() ? std::nullopt : extents_of(given[0], scope);
  if (!extents || scope.making.empty()) {
    return fail(ErrorCode::kUnsupported,
                "`" + name + "` makes a tensor whose shape or name is not understood");
  }
  HostBuffer buffer = {
      .type = DType::kF32, .shape = *extents, .zero = kind == "zeros", .made = true};
  for (const HostValue& each : given) {
    buffer.type = each.kind == Kind::kOptions ? each.type : buffer.type;
  }
  if (like && given[0].kind == Kind::kBuffer) {
    buffer.type = scope.buffers.find(given[0].text)->second.type;
  }
  scope.buffers[scope.making] = std::move(buffer);
  return std::optional(HostValue{.kind = Kind::kBuffer, .text = scope.making});
}

Result<std::optional<HostValue>> member_of(const HostValue& value, const std::string& name,
                                           const std::vector<HostValue>& given,
                                           const HostScope& scope) {
  if (value.kind == Kind::kBuffer) {
    return tensor_member(value, name, given, scope.buffers.find(value.text)->second);
  }
  if (value.kind == Kind::kSizes && (name == "[]" || name == "at" || name == "size")) {
    const std::optional<std::size_t> axis = place(given, value.items.size());
    if (!axis) {
      return std::optional<HostValue>();
    }
    WS_TRY(HostValue extent, product_of({value.items[*axis]}, 0));
    return std::optional(std::move(extent));
  }
  if (value.kind == Kind::kGrid && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z') {
    const auto axis = static_cast<std::size_t>(name[0] - 'x');
    WS_TRY(HostValue extent, number_of(axis < value.items.size() ? value.items[axis] : "1"));
    return std::optional(std::move(extent));
  }
  if (value.kind == Kind::kOptions) {
    const bool typed = !given.empty() && given[0].kind == Kind::kOptions;
    return std::optional(typed ? given[0] : value);
  }
  return value.kind == Kind::kNothing ? std::optional(value) : std::nullopt;
}

}  // namespace ws
