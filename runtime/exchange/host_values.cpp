#include "runtime/exchange/host_values.h"

#include <algorithm>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/exchange/expression_reader.h"
#include "runtime/exchange/host_tensors.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {

Result<std::string> folded(const std::string& text) {
  WS_TRY(const Expr expr, parse_expr(text));
  if (!expr.names().empty()) {
    return text;
  }
  WS_TRY(const std::int64_t value, expr.eval({}));
  return std::to_string(value);
}

namespace {

constexpr std::size_t kMaxTokens = 400;     // Brackets in brackets take the stack.
constexpr std::size_t kMaxSteps = 100'000;  // Functions of functions take time.
constexpr int kMaxCalls = 8;                // Functions that call functions.

}  // namespace

Result<HostValue> ExpressionReader::read() {
  if (tokens_.size() > kMaxTokens || ++scope_.steps > kMaxSteps) {
    return unknown();
  }
  WS_TRY(HostValue value, choice());
  if (at_ < tokens_.size()) {
    return unknown();
  }
  return value;
}

tl::unexpected<Error> ExpressionReader::unknown() const {
  return fail(
      ErrorCode::kUnsupported,
      "the host's expression `" + quoted(text_of_tokens(tokens_), 120) + "` is not understood");
}

std::string_view ExpressionReader::peek(std::size_t ahead) const {
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
}

bool ExpressionReader::next_is(std::string_view symbols) const {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const bool same = peek(i) == symbols.substr(i, 1);
    if (!same || (i > 0 && peek(i).data() != peek(i - 1).data() + 1)) {
      return false;
    }
  }
  return true;
}

Result<HostValue> ExpressionReader::primary() {
  if (at_ >= tokens_.size()) {
    return unknown();
  }
  const RawToken& token = tokens_[at_];
  if (token.kind == RawToken::Kind::kNumber) {
    ++at_;
    return number_token(token.text);
  }
  if (token.text == "(") {
    return bracketed();
  }
  if (token.text == "{") {
    WS_TRY(const std::vector<HostValue> items, arguments());
    return sizes(items);
  }
  return token.kind == RawToken::Kind::kWord ? named() : unknown();
}

Result<HostValue> ExpressionReader::bracketed() {
  ExpressionReader inside(inside_of(tokens_, at_), scope_, calls_);
  at_ = behind_bracket(tokens_, at_);
  return inside.read();
}

Result<HostValue> ExpressionReader::number_token(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (!hex && text.find_first_of(".eE") != std::string_view::npos) {
    const std::string plain(text.substr(0, text.find_first_of("fFlL")));
    return HostValue{.kind = HostValue::Kind::kReal,
                     .text = plain.ends_with(".") ? plain + "0" : plain};
  }
  std::string plain(text.substr(0, text.find_first_of("uUlL")));
  std::erase(plain, '\'');
  return computed(plain);
}

Result<HostValue> ExpressionReader::named() {
  std::string name(peek());
  ++at_;
  while (next_is("::")) {
    name += "::" + std::string(peek(2));
    at_ += 3;
  }
  if (name.ends_with("_cast") || name == "sizeof") {
    return cast(name);
  }
  if (peek() == "(" || (peek() == "{" && name == "dim3")) {
    return call(name);
  }
  if (const auto known = scope_.names.find(name); known != scope_.names.end()) {
    return known->second;
  }
  if (const std::optional<DType> type = type_of_torch_word(name)) {
    return HostValue{.kind = HostValue::Kind::kOptions, .type = *type};
  }
  const Tokens constant = scope_.text.constant(name);
  if (!constant.empty() && calls_ < kMaxCalls) {
    return ExpressionReader(constant, scope_, calls_ + 1).read();
  }
  return unknown();
}

Result<HostValue> ExpressionReader::cast(const std::string& name) {
  if (name == "sizeof") {
    if (peek() != "(") {
      return unknown();
    }
    const std::string type = text_of_tokens(inside_of(tokens_, at_));
    at_ = behind_bracket(tokens_, at_);
    const std::optional<DType> known = type_of_cpp(type);
    return known ? computed(std::to_string(size_of(*known))) : unknown();
  }
  while (at_ < tokens_.size() && peek() != "(") {
    ++at_;
  }
  return peek() == "(" ? bracketed() : unknown();
}

Result<std::vector<HostValue>> ExpressionReader::arguments() {
  std::vector<HostValue> values;
  for (const Tokens& part : split_at_commas(inside_of(tokens_, at_))) {
    WS_TRY(HostValue value, ExpressionReader(part, scope_, calls_).read());
    values.push_back(std::move(value));
  }
  at_ = behind_bracket(tokens_, at_);
  return values;
}

Result<HostValue> ExpressionReader::call(const std::string& name) {
  WS_TRY(const std::vector<HostValue> given, arguments());
  if (name == "dim3") {
    WS_TRY(HostValue grid, sizes(given));
    grid.kind = HostValue::Kind::kGrid;
    return grid;
  }
  if ((name == "std::min" || name == "min" || name == "std::max" || name == "max") &&
      given.size() == 2) {
    WS_TRY(const std::string a, number(given[0]));
    WS_TRY(const std::string b, number(given[1]));
    return computed(name.substr(name.size() - 3) + "(" + a + ", " + b + ")");
  }
  const CppFunction* const function = scope_.text.function(name);
  if (function != nullptr && !function->kernel && calls_ < kMaxCalls) {
    return inlined(*function, given);
  }
  WS_TRY(const std::optional<HostValue> tensor, tensor_call(name, given, scope_));
  if (!tensor) {
    return unknown();
  }
  return *tensor;
}

Result<HostValue> ExpressionReader::inlined(const CppFunction& function,
                                            const std::vector<HostValue>& given) {
  Tokens body = function.body;
  if (!function.macro) {
    if (body.size() < 3 || body.front().text != "return" || body.back().text != ";") {
      return unknown();
    }
    body = body.subspan(1, body.size() - 2);
  }
  if (given.size() != function.parameters.size()) {
    return unknown();
  }
  HostScope inside = {.text = scope_.text, .names = {}, .buffers = scope_.buffers, .making = {}};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (function.parameters[i].empty()) {
      return unknown();
    }
    inside.names.emplace(function.parameters[i].back().text, given[i]);
  }
  inside.steps = scope_.steps;
  Result<HostValue> value = ExpressionReader(body, inside, calls_ + 1).read();
  scope_.steps = inside.steps;
  return value;
}

Result<HostValue> ExpressionReader::members(HostValue value) {
  while (peek() == "." || peek() == "[" || next_is("->")) {
    std::string name = "[]";
    std::vector<HostValue> given;
    if (peek() != "[") {
      at_ += peek() == "." ? 1U : 2U;
      name = std::string(peek());
      ++at_;
      while (peek() == "<" || (!peek().empty() && name.ends_with(">") && peek() != "(")) {
        while (at_ < tokens_.size() && peek() != ">") {
          ++at_;
        }
        ++at_;
      }
    }
    if (peek() == "(" || peek() == "[") {
      WS_TRY(given, arguments());
    }
    WS_TRY(std::optional<HostValue> part, member_of(value, name, given, scope_));
    if (!part) {
      return unknown();
    }
    value = *std::move(part);
  }
  return value;
}

Result<HostValue> ExpressionReader::sizes(const std::vector<HostValue>& items) {
  HostValue value = {.kind = HostValue::Kind::kSizes};
  for (const HostValue& item : items) {
    WS_TRY(const std::string text, number(item));
    value.items.push_back(text);
  }
  return value;
}

Result<std::string> ExpressionReader::number(const HostValue& value) const {
  const bool whole =
      value.kind == HostValue::Kind::kNumber || value.kind == HostValue::Kind::kScalar;
  return whole ? Result<std::string>(value.text) : Result<std::string>(unknown());
}

Result<HostValue> ExpressionReader::computed(const std::string& text) const {
  WS_TRY(const std::string shorter, folded(text));
  return HostValue{.kind = HostValue::Kind::kNumber, .text = shorter};
}

Result<HostValue> host_value(Tokens tokens, HostScope& scope) {
  return ExpressionReader(tokens, scope, 0).read();
}

}  // namespace ws
