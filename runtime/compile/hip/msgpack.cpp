#include "runtime/compile/hip/msgpack.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace ws::msgpack {
namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kMostValues = 65536;

/// What a first byte, or a range of them, says about what follows.
enum class Form : std::uint8_t {
  kNil,
  kFalse,
  kTrue,
  kUnsigned,
  kSigned,
  kText,
  kArray,
  kMap
};

struct FormRow {
  std::uint8_t first;
  std::uint8_t last;
  Form form;
  std::uint8_t bytes;  ///< Of the number or length that follows; 0: it lies in the first byte.
};

constexpr std::array kForms = {
    FormRow{0x00, 0x7f, Form::kUnsigned, 0}, FormRow{0x80, 0x8f, Form::kMap, 0},
    FormRow{0x90, 0x9f, Form::kArray, 0},    FormRow{0xa0, 0xbf, Form::kText, 0},
    FormRow{0xc0, 0xc0, Form::kNil, 0},      FormRow{0xc2, 0xc2, Form::kFalse, 0},
    FormRow{0xc3, 0xc3, Form::kTrue, 0},     FormRow{0xcc, 0xcc, Form::kUnsigned, 1},
    FormRow{0xcd, 0xcd, Form::kUnsigned, 2}, FormRow{0xce, 0xce, Form::kUnsigned, 4},
    FormRow{0xcf, 0xcf, Form::kUnsigned, 8}, FormRow{0xd0, 0xd0, Form::kSigned, 1},
    FormRow{0xd1, 0xd1, Form::kSigned, 2},   FormRow{0xd2, 0xd2, Form::kSigned, 4},
    FormRow{0xd3, 0xd3, Form::kSigned, 8},   FormRow{0xd9, 0xd9, Form::kText, 1},
    FormRow{0xda, 0xda, Form::kText, 2},     FormRow{0xdb, 0xdb, Form::kText, 4},
    FormRow{0xdc, 0xdc, Form::kArray, 2},    FormRow{0xdd, 0xdd, Form::kArray, 4},
    FormRow{0xde, 0xde, Form::kMap, 2},      FormRow{0xdf, 0xdf, Form::kMap, 4},
    FormRow{0xe0, 0xff, Form::kSigned, 0},
};

tl::unexpected<Error> bad(const char* why) {
  return fail(ErrorCode::kInternal, std::string("not MessagePack: ") + why);
}

class ValueReader {
 public:
  explicit ValueReader(std::string_view bytes)
      : left_(bytes) {}

  Result<Value> value(int depth) {
    if (depth > kDeepest || ++values_ > kMostValues) {
      return bad("too deep, or too many values");
    }
    WS_TRY(const std::uint64_t first, number(1));
    const auto row = std::find_if(kForms.begin(), kForms.end(), [first](const FormRow& candidate) {
      return first >= candidate.first && first <= candidate.last;
    });
    if (row == kForms.end()) {
      return bad("a type that code objects do not use");
    }
    std::uint64_t operand = first - row->first;
    if (row->bytes > 0) {
      WS_TRY(operand, number(row->bytes));
    }
    return content(*row, operand, depth);
  }

 private:
  /// Big-endian.
  Result<std::uint64_t> number(std::size_t bytes) {
    if (left_.size() < bytes) {
      return bad("it ends early");
    }
    std::uint64_t value = 0;
    for (const char c : left_.substr(0, bytes)) {
      value = value << 8U | static_cast<unsigned char>(c);
    }
    left_.remove_prefix(bytes);
    return value;
  }

  Result<Value> content(const FormRow& row, std::uint64_t operand, int depth) {
    Value value;
    switch (row.form) {
      case Form::kNil:
        return value;
      case Form::kFalse:
      case Form::kTrue:
        value.kind = Value::Kind::kBool;
        value.number = row.form == Form::kTrue ? 1 : 0;
        return value;
      case Form::kUnsigned:
      case Form::kSigned:
        return integer(row, operand);
      case Form::kText:
        return text(operand);
      case Form::kArray:
        return array(operand, depth);
      case Form::kMap:
        break;
    }
    return map(operand, depth);
  }

  static Result<Value> integer(const FormRow& row, std::uint64_t operand) {
    constexpr unsigned kWord = 64;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    Value value;
    value.kind = Value::Kind::kInteger;
    value.number = static_cast<std::int64_t>(operand);
    if (row.form == Form::kUnsigned && operand > kMost) {
      return bad("a number over 2^63 - 1");
    }
    if (row.form == Form::kSigned && row.bytes == 0) {
      value.number -= row.last - row.first + 1;
    } else if (row.form == Form::kSigned) {
      const unsigned unused = kWord - row.bytes * 8U;
      value.number = static_cast<std::int64_t>(operand << unused) >> unused;
    }
    return value;
  }

  Result<Value> text(std::uint64_t length) {
    if (left_.size() < length) {
      return bad("it ends early");
    }
    Value value;
    value.kind = Value::Kind::kText;
    value.text = left_.substr(0, length);
    left_.remove_prefix(length);
    return value;
  }

  /// Memory grows with what is read, not with what is promised.
  Result<Value> array(std::uint64_t count, int depth) {
    Value value;
    value.kind = Value::Kind::kArray;
    for (std::uint64_t i = 0; i < count; ++i) {
      WS_TRY(Value item, this->value(depth + 1));
      value.items.push_back(std::move(item));
    }
    return value;
  }

  Result<Value> map(std::uint64_t count, int depth) {
    Value value;
    value.kind = Value::Kind::kMap;
    for (std::uint64_t i = 0; i < count; ++i) {
      WS_TRY(const Value key, this->value(depth + 1));
      if (key.kind != Value::Kind::kText) {
        return bad("a key that is no text");
      }
      WS_TRY(Value field, this->value(depth + 1));
      value.fields.emplace_back(key.text, std::move(field));
    }
    return value;
  }

  std::string_view left_;
  std::size_t values_ = 0;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const auto& field) { return field.first == name; });
  return at == fields.end() ? nullptr : &at->second;
}

std::int64_t Value::integer(std::string_view name, std::int64_t otherwise) const {
  const Value* field = find(name);
  return field == nullptr || field->kind != Kind::kInteger ? otherwise : field->number;
}

std::string_view Value::string(std::string_view name) const {
  const Value* field = find(name);
  return field == nullptr || field->kind != Kind::kText ? std::string_view() : field->text;
}

Result<Value> parse(std::string_view bytes) {
  return ValueReader(bytes).value(0);
}

}  // namespace ws::msgpack
