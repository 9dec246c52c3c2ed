// Whether two programs do their operations in the same order.
#include <array>
#include <map>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/lift/lower/lowering.h"

namespace ws::lift {
namespace {

/// Operations whose order is compared, by what a kernel makes of them. Plain arithmetic, choices
/// and comparisons are not: a kernel may write them in many ways that are the same.
const std::map<std::string, std::string, std::less<>>& compared() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"exp", "exp"},     {"exp2", "exp"},       {"sigmoid", "exp"}, {"log", "log"},
      {"log2", "log"},    {"sqrt", "sqrt"},      {"rsqrt", "sqrt"},  {"sin", "sin"},
      {"cos", "cos"},     {"tanh", "tanh"},      {"erf", "erf"},     {"mma", "product"},
      {"sum", "sum"},     {"gemm", "product"},   {"max", "max"},     {"min", "min"},
      {"mean", "sum"},    {"prod", "prod"},      {"argmax", "max"},  {"cumsum", "sum"},
      {"store", "store"}, {"scatter", "scatter"}};
  return table;
}

class Order {
 public:
  explicit Order(const ir::Program& program)
      : program_(program) {
    for (const ir::Method& method : program.methods) {
      if (method.name != "__init__") {
        block(method.body);
      }
    }
  }

  std::vector<std::string> operations;

 private:
  void block(const std::vector<ir::StmtId>& body) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_.stmt(id);
      expression(stmt.value);
      for (const ir::Arm& arm : stmt.arms) {
        block(arm.body);
      }
    }
  }

  void expression(ir::ExprId id) {
    if (id == ir::kNoExpr) {
      return;
    }
    const ir::Expr& expr = program_.expr(id);
    for (const ir::ExprId kid : expr.kids) {
      expression(kid);
    }
    if (expr.kind != ir::ExprKind::kCall) {
      return;
    }
    const ir::Expr& callee = program_.expr(expr.kids[0]);
    const auto known = compared().find(callee.text);
    if (known != compared().end() && (operations.empty() || operations.back() != known->second)) {
      operations.push_back(known->second);
    }
  }

  const ir::Program& program_;
};

std::string at(const std::vector<std::string>& operations, std::size_t i) {
  return i < operations.size() ? "`" + operations[i] + "`" : "nothing more";
}

std::map<std::string, int> syncs_of(const std::vector<Region>& regions) {
  std::map<std::string, int> counts;
  for (const Region& region : regions) {
    for (const std::string& sync : region.syncs) {
      ++counts[sync];
    }
  }
  return counts;
}

}  // namespace

std::string other_sync(const std::vector<Region>& before, const std::vector<Region>& after) {
  std::map<std::string, int> had = syncs_of(before);
  std::map<std::string, int> has = syncs_of(after);
  for (const auto& [sync, count] : had) {
    has.try_emplace(sync, 0);
  }
  for (const auto& [sync, count] : has) {
    if (had[sync] != count) {
      return "`" + sync + "` stands " + std::to_string(count) + " times in it, and stood " +
             std::to_string(had[sync]) + " times";
    }
  }
  return {};
}

Result<std::string> disorder(const std::string& target, const std::string& lifted_again) {
  WS_TRY(const ir::Program wanted, ir::parse_program(target));
  WS_TRY(const ir::Program made, ir::parse_program(lifted_again));
  WS_TRY(const ir::ProgramDiff diff, ir::diff_programs(wanted, made));
  if (!diff.breaches.empty()) {
    return "its orchestration is not the target's: " + diff.breaches.front().message;
  }
  const std::vector<std::string> want = Order(wanted).operations;
  const std::vector<std::string> got = Order(made).operations;
  for (std::size_t i = 0; i < std::max(want.size(), got.size()); ++i) {
    if (at(want, i) != at(got, i)) {
      return (i == 0 ? "at the start" : "after " + at(want, i - 1)) + " the target has " +
             at(want, i) + ", and the kernel " + at(got, i);
    }
  }
  return std::string();
}

}  // namespace ws::lift
