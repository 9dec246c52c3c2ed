#include "runtime/compile/clang/ptx/parser.h"

#include "runtime/compile/clang/ptx/lexer.h"
#include "runtime/compile/clang/ptx/literal.h"
#include "runtime/compile/clang/ptx/scopes.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr unsigned kMostRegisters = 4096;

class Parser {
 public:
  Parser(std::vector<Token> tokens, Complaint& complaint)
      : tokens_(std::move(tokens)),
        complaint_(complaint) {}

  std::optional<Program> run() {
    while (good() && now().kind != Token::Kind::kEnd) {
      item();
    }
    if (good() && scopes_.depth() > 1) {
      expected("`}`");
    }
    scopes_.close(program_);
    return good() ? std::optional(std::move(program_)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool good() const { return complaint_.message.empty(); }

  [[nodiscard]] const Token& now() const { return tokens_[at_]; }

  [[nodiscard]] bool is(const char* mark) const {
    return now().kind == Token::Kind::kMark && now().text == mark;
  }

  bool take(const char* mark) {
    const bool there = is(mark);
    at_ += there ? 1 : 0;
    return there;
  }

  void complain(std::string message, bool syntax = true) {
    if (good()) {
      complaint_ = {std::move(message), syntax, now().line};
    }
  }

  void expected(const std::string& what) {
    const bool end = now().kind == Token::Kind::kEnd;
    complain("expected " + what + ", not " + (end ? now().text : "`" + now().text + "`"));
  }

  void need(const char* mark) {
    if (!take(mark)) {
      expected(std::string("`") + mark + "`");
    }
  }

  void item() {
    if (take("{")) {
      scopes_.open();
    } else if (is("}") && scopes_.depth() > 1) {
      take("}");
      scopes_.close(program_);
    } else if (take(";")) {
    } else if (now().text == ".reg") {
      declaration();
    } else if (now().kind == Token::Kind::kWord && now().text.front() == '.') {
      complain("`" + now().text + "` is not supported on the CPU engine", false);
    } else {
      statement();
    }
  }

  /// `.reg .b32 a, b<4>;`
  void declaration() {
    ++at_;
    const std::string name = now().text;
    const auto type = llvm::StringRef(name).starts_with(".")
                          ? type_named(llvm::StringRef(name).drop_front())
                          : std::nullopt;
    if (!type) {
      return expected("a register's type, as in `.reg .b32 a;`");
    }
    ++at_;
    do {
      if (now().kind != Token::Kind::kWord) {
        return expected("a register's name");
      }
      const std::string base = now().text;
      ++at_;
      if (!take("<")) {
        declare(base, *type);
        continue;
      }
      unsigned count = 0;
      if (llvm::StringRef(now().text).getAsInteger(10, count) || count > kMostRegisters) {
        return expected("a number of registers up to " + std::to_string(kMostRegisters));
      }
      ++at_;
      need(">");
      for (unsigned i = 0; i < count; ++i) {
        declare(base + std::to_string(i), *type);
      }
    } while (good() && take(","));
    need(";");
  }

  void declare(const std::string& name, Type type) {
    if (!scopes_.add_register(name, static_cast<unsigned>(program_.registers.size()))) {
      complain("register `" + name + "` is declared twice");
    }
    program_.registers.push_back({name, type});
  }

  void statement() {
    Statement made;
    made.line = now().line;
    if (take("@")) {
      const bool negated = take("!");
      made.guard = Guard{single(), negated};
    }
    if (good() && now().kind != Token::Kind::kWord) {
      return expected("an instruction");
    }
    made.opcode = now().text;
    ++at_;
    if (!made.guard && take(":")) {
      return label(made.opcode);
    }
    while (good() && !is(";") && !is("}") && now().kind != Token::Kind::kEnd) {
      made.operands.push_back(operand());
      if (made.operands.size() == 1 && take("|")) {
        made.second = single();
      }
      if (!is(";") && !is("}") && now().kind != Token::Kind::kEnd && !take(",")) {
        expected("`,` or `;`");
      }
    }
    if (!is("}") && now().kind != Token::Kind::kEnd) {
      need(";");
    }
    if (made.jumps() && !made.operands.empty()) {
      scopes_.add_jump(program_.statements.size());
    }
    program_.statements.push_back(std::move(made));
  }

  void label(const std::string& name) {
    if (!scopes_.add_label(name, static_cast<unsigned>(program_.labels.size()))) {
      complain("label `" + name + "` stands twice in a block");
    }
    program_.labels.push_back(program_.statements.size());
  }

  Operand operand() {
    if (take("[")) {
      return address();
    }
    if (!take("{")) {
      return single();
    }
    Operand made{.kind = Operand::Kind::kVector, .name = "{...}", .parts = {}};
    do {
      made.parts.push_back(single());
    } while (good() && take(","));
    need("}");
    return made;
  }

  /// A register, perhaps with a `!`, or a number.
  Operand single() {
    const bool negated = take("!");
    const bool named = now().kind == Token::Kind::kWord || now().kind == Token::Kind::kArgument;
    Operand made = named ? name() : number();
    made.negated = negated;
    return made;
  }

  Operand address() {
    Operand made{.kind = Operand::Kind::kAddress, .name = "[...]", .parts = {}};
    made.parts.push_back(single());
    while (good() && (is("+") || is("-"))) {
      const bool minus = take("-");
      if (!minus) {
        take("+");
      }
      const Operand offset = now().kind == Token::Kind::kArgument ? name() : number();
      if (offset.kind == Operand::Kind::kArgument) {
        made.parts.push_back(offset);  // An argument with constraint "n".
        made.parts.back().negated = minus;
      } else {
        made.value += minus ? 0 - offset.value : offset.value;
      }
    }
    need("]");
    return made;
  }

  Operand number() {
    const bool minus = take("-");
    auto made = now().kind == Token::Kind::kNumber ? number_of(now().text) : std::nullopt;
    if (!made) {
      expected("an operand");
      return {};
    }
    ++at_;
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    const bool fraction = made->kind == Operand::Kind::kFloat;
    made->value = !minus ? made->value : fraction ? made->value ^ kSign : 0 - made->value;
    return *made;
  }

  Operand name() {
    Operand made;
    made.name = now().text;
    const Token::Kind kind = now().kind;
    if (kind == Token::Kind::kArgument) {
      made.kind = Operand::Kind::kArgument;
      llvm::StringRef(made.name).getAsInteger(10, made.index);
      made.name = "%" + made.name;
    } else if (made.name != "_" && !find_register(made)) {
      const bool special = made.name.front() == '%' || made.name == "WARP_SZ";
      made.kind = special ? Operand::Kind::kSpecial : Operand::Kind::kUnknown;
    }
    ++at_;
    return made;
  }

  bool find_register(Operand& operand) const {
    const auto found = scopes_.find_register(operand.name);
    if (found) {
      operand.kind = Operand::Kind::kRegister;
      operand.index = *found;
    }
    return found.has_value();
  }

  std::vector<Token> tokens_;
  Complaint& complaint_;
  std::size_t at_ = 0;
  Scopes scopes_;
  Program program_;
};

}  // namespace

std::optional<Program> parse(llvm::StringRef text, Complaint& complaint) {
  std::vector<Token> tokens = split_into_tokens(text, complaint);
  return complaint.message.empty() ? Parser(std::move(tokens), complaint).run() : std::nullopt;
}

}  // namespace ws::clang_engine::ptx
