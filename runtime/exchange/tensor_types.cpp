#include "runtime/exchange/tensor_types.h"

#include <algorithm>
#include <array>

#include "runtime/base/text.h"

namespace ws {
namespace {

struct TensorWord {
  std::string_view word;
  DType type;
  bool writable;  ///< False: it is read, but not in the list of the schema.
};

constexpr std::array<TensorWord, 15> kTensorWords = {{{"float64", DType::kF64, false},
                                                      {"float32", DType::kF32, true},
                                                      {"float16", DType::kF16, true},
                                                      {"bfloat16", DType::kBf16, true},
                                                      {"float8_e4m3fn", DType::kF8e4m3, true},
                                                      {"float8_e5m2", DType::kF8e5m2, true},
                                                      {"int64", DType::kI64, true},
                                                      {"int32", DType::kI32, true},
                                                      {"int16", DType::kI16, true},
                                                      {"int8", DType::kI8, true},
                                                      {"uint64", DType::kU64, false},
                                                      {"uint32", DType::kU32, false},
                                                      {"uint16", DType::kU16, false},
                                                      {"uint8", DType::kU8, false},
                                                      {"bool", DType::kBool, true}}};

}  // namespace

Result<DType> type_of_tensor(std::string_view word, const std::string& path) {
  const auto* const row = std::ranges::find(kTensorWords, word, &TensorWord::word);
  if (row == kTensorWords.end()) {
    return fail(ErrorCode::kUnsupported,
                path + ": no type here corresponds to `" + quoted(std::string(word), 40) + "`");
  }
  return row->type;
}

Result<std::string> tensor_word(DType type, const std::string& path) {
  const auto* const row = std::ranges::find(kTensorWords, type, &TensorWord::type);
  if (row == kTensorWords.end() || !row->writable) {
    return fail(ErrorCode::kUnsupported, path + " has elements of type " +
                                             std::string(name_of(type)) +
                                             ", which FlashInfer-Bench does not have");
  }
  return std::string(row->word);
}

}  // namespace ws
