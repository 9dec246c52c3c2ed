// Recursive descent with an explicit depth limit; emits steps with relative jumps, so that the
// parts of `a if c else b` can be put in the order in which they are evaluated.
#include <array>
#include <optional>

#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/expr/expr_lexer.h"

namespace ws {
namespace {

struct OpRow {
  std::string_view text;
  ExprOp op;
};

constexpr std::array<OpRow, 6> kComparisons = {{{"==", ExprOp::kEqual},
                                                {"!=", ExprOp::kNotEqual},
                                                {"<", ExprOp::kLess},
                                                {"<=", ExprOp::kLessEqual},
                                                {">", ExprOp::kGreater},
                                                {">=", ExprOp::kGreaterEqual}}};
constexpr std::array<OpRow, 2> kSums = {{{"+", ExprOp::kAdd}, {"-", ExprOp::kSubtract}}};
constexpr std::array<OpRow, 3> kProducts = {
    {{"*", ExprOp::kMultiply}, {"//", ExprOp::kFloorDivide}, {"%", ExprOp::kModulo}}};

template <std::size_t N>
std::optional<ExprOp> find_op(const std::array<OpRow, N>& rows, const ExprToken& token) {
  for (const OpRow& row : rows) {
    if (token.kind == ExprToken::Kind::kSymbol && row.text == token.text) {
      return row.op;
    }
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text)
      : text_(text),
        lexer_(text) {}

  Result<Expr> parse() {
    if (text_.size() > kMaxExprLength) {
      return fail(ErrorCode::kInvalidArgument, "expression of " + std::to_string(text_.size()) +
                                                   " characters: at most " +
                                                   std::to_string(kMaxExprLength) + " are allowed");
    }
    WS_CHECK(advance());
    WS_CHECK(ternary());
    if (token_.kind != ExprToken::Kind::kEnd) {
      return error("unexpected `" + std::string(token_.text) + "`");
    }
    return Expr(std::string(text_), std::move(names_), std::move(steps_));
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(const std::string& what, std::string hint = {}) const {
    return expr_error(text_, token_.column, what, std::move(hint));
  }

  Status advance() {
    WS_TRY(token_, lexer_.next());
    return {};
  }

  [[nodiscard]] bool is(std::string_view text) const {
    return token_.kind != ExprToken::Kind::kEnd && token_.text == text;
  }

  Status expect(std::string_view text) {
    if (!is(text)) {
      return error("expected `" + std::string(text) + "`" + got());
    }
    return advance();
  }

  [[nodiscard]] std::string got() const {
    return token_.kind == ExprToken::Kind::kEnd ? std::string(", got the end")
                                                : ", got `" + std::string(token_.text) + "`";
  }

  std::size_t emit(ExprOp op, std::size_t column, std::int64_t value = 0) {
    steps_.push_back({op, ExprOp::kEqual, 0, static_cast<std::uint32_t>(column), value});
    return steps_.size() - 1;
  }

  /// Makes the jump at `from` land on the next step to be emitted.
  void land(std::size_t from) {
    steps_[from].value = static_cast<std::int64_t>(steps_.size() - from);
  }

  Status deeper(Status (Parser::*rule)()) {
    if (depth_ >= kMaxExprDepth) {
      return error("nested more than " + std::to_string(kMaxExprDepth) + " deep");
    }
    ++depth_;
    Status status = (this->*rule)();
    --depth_;
    return status;
  }

  Status ternary() {
    const std::size_t start = steps_.size();
    WS_CHECK(logical("or", ExprOp::kOrJump));
    if (!is("if")) {
      return {};
    }
    const std::size_t column = token_.column;
    const std::vector<ExprStep> when_true(steps_.begin() + static_cast<std::ptrdiff_t>(start),
                                          steps_.end());
    steps_.resize(start);
    WS_CHECK(advance());
    WS_CHECK(logical("or", ExprOp::kOrJump));
    const std::size_t to_else = emit(ExprOp::kJumpIfZero, column);
    steps_.insert(steps_.end(), when_true.begin(), when_true.end());
    const std::size_t to_end = emit(ExprOp::kJump, column);
    land(to_else);
    WS_CHECK(expect("else"));
    WS_CHECK(deeper(&Parser::ternary));
    land(to_end);
    return {};
  }

  /// `or` over `and` over `not`: one loop for both words, as they differ in the jump only.
  Status logical(std::string_view word, ExprOp jump) {
    std::vector<std::size_t> exits;
    while (true) {
      WS_CHECK(word == "or" ? logical("and", ExprOp::kAndJump) : negation());
      if (!is(word)) {
        break;
      }
      exits.push_back(emit(jump, token_.column));
      WS_CHECK(advance());
    }
    for (const std::size_t from : exits) {
      land(from);
    }
    return {};
  }

  Status negation() {
    if (!is("not")) {
      return comparison();
    }
    const std::size_t column = token_.column;
    WS_CHECK(advance());
    WS_CHECK(deeper(&Parser::negation));
    emit(ExprOp::kNot, column);
    return {};
  }

  Status comparison() {
    WS_CHECK(sum());
    std::vector<std::size_t> exits;
    while (const auto op = find_op(kComparisons, token_)) {
      const std::size_t column = token_.column;
      WS_CHECK(advance());
      WS_CHECK(sum());
      if (find_op(kComparisons, token_)) {
        exits.push_back(emit(ExprOp::kChain, column));
        steps_.back().compare = *op;
      } else {
        emit(*op, column);
      }
    }
    for (const std::size_t from : exits) {
      land(from);
    }
    return {};
  }

  Status sum() {
    return left_to_right(kSums,
                         [this] { return left_to_right(kProducts, [this] { return unary(); }); });
  }

  template <std::size_t N, typename Rule>
  Status left_to_right(const std::array<OpRow, N>& rows, const Rule& rule) {
    WS_CHECK(rule());
    while (const auto op = find_op(rows, token_)) {
      const std::size_t column = token_.column;
      WS_CHECK(advance());
      WS_CHECK(rule());
      emit(*op, column);
    }
    return {};
  }

  Status unary() {
    if (!is("-") && !is("+")) {
      return power();
    }
    const bool minus = is("-");
    const std::size_t column = token_.column;
    WS_CHECK(advance());
    WS_CHECK(deeper(&Parser::unary));
    if (minus) {
      emit(ExprOp::kNegate, column);
    }
    return {};
  }

  Status power() {
    WS_CHECK(atom());
    if (!is("**")) {
      return {};
    }
    const std::size_t column = token_.column;
    WS_CHECK(advance());
    WS_CHECK(
        deeper(&Parser::unary));  // Right-associative, and binds less than a prefix on its right.
    emit(ExprOp::kPower, column);
    return {};
  }

  Status atom() {
    if (token_.kind == ExprToken::Kind::kNumber) {
      emit(ExprOp::kPush, token_.column, token_.value);
      return advance();
    }
    if (is("(")) {
      WS_CHECK(advance());
      WS_CHECK(deeper(&Parser::ternary));
      return expect(")");
    }
    if (token_.kind != ExprToken::Kind::kWord) {
      return error("expected a value" + got());
    }
    const auto functions = expr_functions();
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (functions[i].name == token_.text) {
        return call(i);
      }
    }
    if (is_reserved_word(token_.text)) {
      return error("expected a value" + got());
    }
    return name();
  }

  Status name() {
    std::size_t index = 0;
    while (index < names_.size() && names_[index] != token_.text) {
      ++index;
    }
    if (index == names_.size()) {
      names_.emplace_back(token_.text);
    }
    emit(ExprOp::kName, token_.column, static_cast<std::int64_t>(index));
    const std::string word(token_.text);
    WS_CHECK(advance());
    return is("(") ? Status(error("`" + word + "` is not a function",
                                  "functions: cdiv min max abs log2 gcd lcm pow2ceil"))
                   : Status();
  }

  Status call(std::size_t index) {
    const ExprFunction& function = expr_functions()[index];
    const std::size_t column = token_.column;
    WS_CHECK(advance());
    WS_CHECK(expect("("));
    std::uint32_t count = 0;
    while (count == 0 || is(",")) {
      if (count > 0) {
        WS_CHECK(advance());
      }
      WS_CHECK(deeper(&Parser::ternary));
      ++count;
    }
    WS_CHECK(expect(")"));
    if (count < function.least || count > function.most) {
      const std::string want = function.least == function.most
                                   ? std::to_string(function.least)
                                   : "at least " + std::to_string(function.least);
      return expr_error(text_, column,
                        "`" + std::string(function.name) + "` takes " + want + " argument" +
                            (function.least == 1 ? "" : "s") + ", got " + std::to_string(count));
    }
    steps_[emit(ExprOp::kCall, column, static_cast<std::int64_t>(index))].count = count;
    return {};
  }

  std::string_view text_;
  ExprLexer lexer_;
  ExprToken token_;
  int depth_ = 0;
  std::vector<std::string> names_;
  std::vector<ExprStep> steps_;
};

}  // namespace

Result<Expr> parse_expr(std::string_view text) {
  return Parser(text).parse();
}

bool is_reserved_word(std::string_view word) {
  for (const std::string_view keyword : {"and", "or", "not", "if", "else"}) {
    if (word == keyword) {
      return true;
    }
  }
  for (const ExprFunction& function : expr_functions()) {
    if (word == function.name) {
      return true;
    }
  }
  return false;
}

}  // namespace ws
