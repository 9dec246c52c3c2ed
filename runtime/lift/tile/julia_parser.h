// The parser behind julia.h. Private to this folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lift/tile/julia.h"
#include "runtime/lift/tile/julia_lexer.h"

namespace ws::lift::tile {

class JuliaParser {
 public:
  explicit JuliaParser(std::vector<JuliaToken> tokens)
      : tokens_(std::move(tokens)) {
    file_.language = Language::kCutileJl;
  }

  std::variant<File, std::vector<Complaint>> run();

 private:
  /// How deep statements and expressions may nest.
  static constexpr int kMaxDepth = 150;

  using Kind = JuliaToken::Kind;
  using Words = std::set<std::string>;

  // julia.cpp: the file.
  void top_level();
  void import_line();
  void constant_line();
  void skip_statement();
  void function();
  bool short_function();
  /// Goes on there, whatever expression or block it was in.
  void go_on_at(std::size_t token);
  Result<Function> signature();
  Result<Parameter> parameter();
  Status parameters(Function& made);
  void skip_where();
  /// The token after the `end` that belongs to the block that begins at `from`; nothing: none does.
  [[nodiscard]] std::optional<std::size_t> block_end(std::size_t from) const;
  void complain(const JuliaToken& token, std::string message, std::string hint = {});

  // julia_statements.cpp
  Result<std::vector<NodeId>> block(const Words& until);
  Result<NodeId> statement();
  Result<NodeId> for_loop();
  Result<NodeId> while_loop();
  Result<NodeId> if_statement();
  Result<NodeId> return_statement();
  Result<NodeId> macro(const std::string& name, const JuliaToken& token);
  Result<NodeId> assignment();
  /// A list with commas is a tuple.
  Result<NodeId> list();

  // julia_expressions.cpp, julia_primary.cpp
  Result<NodeId> expression();
  Result<NodeId> binary(int level);
  Result<NodeId> comparison();
  Result<NodeId> range();
  Result<NodeId> unary();
  Result<NodeId> power();
  Result<NodeId> postfix();
  Result<NodeId> primary();
  Result<NodeId> options_block();
  Result<NodeId> parentheses();
  Result<NodeId> call(NodeId callee, bool dotted);
  Result<NodeId> index(NodeId base, const std::string& open);

  // julia_tokens.cpp
  [[nodiscard]] const JuliaToken& peek(std::size_t ahead = 0) const;
  JuliaToken take();
  [[nodiscard]] bool is(std::string_view text) const;
  [[nodiscard]] bool is_keyword(std::string_view word) const;
  bool accept(std::string_view text);
  Status expect(std::string_view text);
  void skip_newlines();
  tl::unexpected<Error> wrong(const std::string& message) const;
  NodeId add(NodeKind kind, const JuliaToken& at, std::string text = {},
             std::vector<NodeId> kids = {});

  std::vector<JuliaToken> tokens_;
  std::size_t next_ = 0;
  File file_;
  std::vector<Complaint> complaints_;
  int brackets_ = 0;       ///< Newlines are white space inside.
  bool no_range_ = false;  ///< In `a ? b : c` the colon is not a range's.
  int depth_ = 0;
  int modules_ = 0;
};

}  // namespace ws::lift::tile
