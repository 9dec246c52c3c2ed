// Writes the outline of one program: outline.cpp has the rows, outline_steps.cpp the steps.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/diff/outline.h"
#include "runtime/ir/diff/statistics.h"
#include "runtime/ir/diff/uses.h"

namespace ws::ir {

/// The facts about one program.
struct Known {
  explicit Known(const Program& of)
      : program(of),
        uses(of),
        statistics(of, uses) {}

  const Program& program;
  Uses uses;
  Statistics statistics;
};

class Outliner {
 public:
  /// `additions`: what only this program has may be new, because it is the target.
  Outliner(const Known& own, const Known& other, bool additions)
      : own_(own),
        other_(other),
        program_(own.program),
        additions_(additions) {}

  Result<std::vector<Outline>> run();

 private:
  // outline.cpp
  Status block(const std::vector<StmtId>& body, const std::string& path,
               const std::optional<Mark>& mark);
  Status statement(StmtId id, const std::string& path, const std::optional<Mark>& mark);
  Status arm(const Stmt& stmt, std::size_t which, const std::string& path,
             const std::optional<Mark>& mark);
  void parameters(const Method& method);
  OutlineRow& add_row(std::string text, SourcePlace place, const std::string& path,
                      const std::optional<Mark>& mark);
  [[nodiscard]] bool only_orchestrates(const Stmt& stmt) const;
  [[nodiscard]] Rules rules_of(StmtId id) const;
  [[nodiscard]] Rules rules_of_target(ExprId target, const Stmt& stmt) const;
  [[nodiscard]] std::uint32_t last_line(ExprId id) const;

  // outline_steps.cpp
  void steps_of(const Stmt& stmt);
  void expr_steps(ExprId id);
  void call_steps(const Expr& expr, const CallForm& form);
  void write_step(const Stmt& stmt, ExprId target);
  bool shared_read(ExprId id);
  void add_step(std::string text, SourcePlace place, const Rules& allowed = {});
  void add_block_step(std::string text, SourcePlace place);
  void allow_block(std::size_t first_step);
  [[nodiscard]] std::string step_text(const Expr& expr, const CallForm& form) const;
  [[nodiscard]] bool is_control(const Stmt& stmt) const;
  [[nodiscard]] bool is_place(const CallArg& arg) const;

  /// Whether a name says where or on what something is done, in either program, so that the same
  /// line is the same step in both. How often loops run may change, also where the last round's
  /// stage is computed from it: a run shows whether the program is still in order.
  [[nodiscard]] bool is_operand(const std::string& name) const {
    const auto either = [&](std::set<std::string> Uses::* names) {
      return (own_.uses.*names).count(name) != 0 || (other_.uses.*names).count(name) != 0;
    };
    return either(&Uses::operands) && !either(&Uses::bounds);
  }

  [[nodiscard]] bool is_new(const std::string& name) const;
  [[nodiscard]] Rules allowed_by(const std::string& name) const;
  [[nodiscard]] bool reads_new_input(ExprId id) const;

  const Known& own_;
  const Known& other_;
  const Program& program_;
  bool additions_;
  Outline out_;
  int depth_ = 0;
};

}  // namespace ws::ir
