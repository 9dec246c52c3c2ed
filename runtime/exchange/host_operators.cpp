// Operators, casts and conditions of host expressions.
#include <algorithm>
#include <array>

#include "runtime/exchange/expression_reader.h"

namespace ws {

/// A binary operator of C++, as it is written here, and how tightly it binds.
struct HostOperator {
  std::string_view cpp;
  std::string_view ours;
  int level;
};

namespace {

/// Loosest first; of one level longer ones before their beginnings.
constexpr std::array<HostOperator, 13> kOperators = {{{"||", " or ", 0},
                                                      {"&&", " and ", 1},
                                                      {"==", " == ", 2},
                                                      {"!=", " != ", 2},
                                                      {"<=", " <= ", 3},
                                                      {">=", " >= ", 3},
                                                      {"<", " < ", 3},
                                                      {">", " > ", 3},
                                                      {"+", " + ", 4},
                                                      {"-", " - ", 4},
                                                      {"*", " * ", 5},
                                                      {"/", " // ", 5},
                                                      {"%", " % ", 5}}};
constexpr int kLevels = 6;

}  // namespace

Result<HostValue> ExpressionReader::choice() {
  WS_TRY(HostValue condition, binary(0));
  if (peek() != "?") {
    return condition;
  }
  ++at_;
  WS_TRY(const HostValue yes, choice());
  if (peek() != ":") {
    return unknown();
  }
  ++at_;
  WS_TRY(const HostValue no, choice());
  WS_TRY(const std::string c, number(condition));
  WS_TRY(const std::string a, number(yes));
  WS_TRY(const std::string b, number(no));
  return computed("(" + a + " if " + c + " else " + b + ")");
}

Result<HostValue> ExpressionReader::binary(int level) {
  if (level == kLevels) {
    return unary();
  }
  WS_TRY(HostValue left, binary(level + 1));
  for (const HostOperator* row = operator_at(level); row != nullptr; row = operator_at(level)) {
    at_ += row->cpp.size();
    WS_TRY(const HostValue right, binary(level + 1));
    if (left.kind == HostValue::Kind::kBuffer && row->cpp == "+") {
      WS_TRY(left.offset, number(right));
      continue;
    }
    WS_TRY(const std::string a, number(left));
    WS_TRY(const std::string b, number(right));
    WS_TRY(left, computed("(" + a + std::string(row->ours) + b + ")"));
  }
  return left;
}

const HostOperator* ExpressionReader::operator_at(int level) const {
  for (const HostOperator& row : kOperators) {
    if (next_is(row.cpp)) {  // Longer ones stand before their beginnings.
      return row.level == level ? &row : nullptr;
    }
  }
  return nullptr;
}

Result<HostValue> ExpressionReader::unary() {
  if (peek() == "-" || peek() == "!") {
    const std::string sign = peek() == "-" ? "-" : "not ";
    ++at_;
    WS_TRY(const HostValue value, unary());
    if (value.kind == HostValue::Kind::kReal) {
      return HostValue{.kind = HostValue::Kind::kReal, .text = "-" + value.text};
    }
    WS_TRY(const std::string text, number(value));
    return computed("(" + sign + text + ")");
  }
  if (peek() == "(" && is_cast()) {
    at_ = behind_bracket(tokens_, at_);
    return unary();
  }
  WS_TRY(HostValue value, primary());
  return members(std::move(value));
}

bool ExpressionReader::is_cast() const {
  const Tokens inside = inside_of(tokens_, at_);
  const bool types = !inside.empty() && std::ranges::all_of(inside, [](const RawToken& token) {
    return token.text == "*" || token.text == "const" || is_type_word(token.text) ||
           token.text.ends_with("_t") || token.text == "__half" || token.text == "__nv_bfloat16";
  });
  return types && behind_bracket(tokens_, at_) < tokens_.size();
}

}  // namespace ws
