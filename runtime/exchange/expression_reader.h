// The reader of one expression of host code (host_values.h), by recursive descent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/exchange/host_values.h"

namespace ws {

struct HostOperator;

/// Not for several threads. All members fail with kUnsupported and the whole expression's text.
class ExpressionReader {
 public:
  /// @param calls  Functions around this expression, whose number is bounded.
  ExpressionReader(Tokens tokens, HostScope& scope, int calls)
      : tokens_(tokens),
        scope_(scope),
        calls_(calls) {}

  Result<HostValue> read();

 private:
  [[nodiscard]] tl::unexpected<Error> unknown() const;
  [[nodiscard]] std::string_view peek(std::size_t ahead = 0) const;
  /// Whether the next tokens are these symbols, without blanks between them.
  [[nodiscard]] bool next_is(std::string_view symbols) const;

  Result<HostValue> choice();
  Result<HostValue> binary(int level);
  [[nodiscard]] const HostOperator* operator_at(int level) const;
  Result<HostValue> unary();
  /// Whether the brackets hold a type: words of types, `const`, and `*` at the end.
  [[nodiscard]] bool is_cast() const;

  Result<HostValue> primary();
  Result<HostValue> bracketed();
  Result<HostValue> number_token(std::string_view text);
  /// A name with its namespaces: a variable, a constant, or a call.
  Result<HostValue> named();
  /// `static_cast<int>(x)`, and `sizeof(float)`.
  Result<HostValue> cast(const std::string& name);
  Result<std::vector<HostValue>> arguments();
  Result<HostValue> call(const std::string& name);
  /// The value that a function of one `return` gives.
  Result<HostValue> inlined(const CppFunction& function, const std::vector<HostValue>& given);
  /// `.size(0)`, `.x`, `[1]`, `.data_ptr<float>()` behind a value.
  Result<HostValue> members(HostValue value);
  Result<HostValue> sizes(const std::vector<HostValue>& items);
  Result<std::string> number(const HostValue& value) const;
  Result<HostValue> computed(const std::string& text) const;

  const Tokens tokens_;
  HostScope& scope_;
  const int calls_;
  std::size_t at_ = 0;
};

}  // namespace ws
