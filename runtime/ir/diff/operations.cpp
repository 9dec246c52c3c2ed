#include "runtime/ir/diff/operations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/ir/diff/uses.h"
#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

/// The name under which an operation is counted; empty of one that only moves, shapes or orders.
std::string_view kind_of(const OpInfo& info) {
  switch (info.group) {
    case OpGroup::kMap:
    case OpGroup::kZip:
    case OpGroup::kSelect:
    case OpGroup::kCast:
    case OpGroup::kReduce:
    case OpGroup::kScan:
      return info.name;
    case OpGroup::kProduct:
    case OpGroup::kProductAsync:
      return info_of(Operator::kMatmul).text;
    default:
      return info.op == Op::kAtomicAdd || info.op == Op::kAtomicMax ? info.name
                                                                    : std::string_view();
  }
}

/// Data comes from memory and from buffers; indices, sizes and constants do not.
bool gives_data(const OpInfo& info) {
  switch (info.group) {
    case OpGroup::kLoad:
    case OpGroup::kGather:
    case OpGroup::kAlloc:
    case OpGroup::kProduct:
    case OpGroup::kProductAsync:
      return true;
    default:
      return false;
  }
}

class OperationCounter {
 public:
  explicit OperationCounter(const Program& program)
      : program_(program),
        uses_(program) {}

  std::map<std::string, std::uint32_t> run() {
    // A name may be read above the line that makes it data, as a loop's values are: names are found
    // until no round finds one, and counted then.
    std::size_t known = 0;
    do {
      known = data_.size();
      every_method();
    } while (data_.size() > known);
    counting_ = true;
    every_method();
    return std::move(counts_);
  }

 private:
  void every_method() {
    for (const Method& method : program_.methods) {
      method_ = &method.name;
      body(method.body);
    }
  }

  void body(const std::vector<StmtId>& statements) {
    for (const StmtId id : statements) {
      statement(program_.stmt(id));
    }
  }

  void statement(const Stmt& stmt) {
    bool data = is_data(stmt.value);
    for (const ExprId target : stmt.targets) {
      data = is_data(target) || data;
    }
    if (data && stmt.kind == StmtKind::kAugment) {
      add(info_of(stmt.op).text);
    }
    const bool names = stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kAugment;
    for (const ExprId target : data&& names ? stmt.targets : std::vector<ExprId>()) {
      name_data(target);
    }
    for (const Arm& arm : stmt.arms) {
      is_data(arm.condition);
      body(arm.body);
    }
  }

  void name_data(ExprId target) {
    const Expr& expr = program_.expr(target);
    for (const ExprId part :
         expr.kind == ExprKind::kTuple ? expr.kids : std::vector<ExprId>{target}) {
      if (const std::string root = uses_.root_of(*method_, part); !root.empty()) {
        data_.insert(root);
      }
    }
  }

  /// Whether data goes into the value; counts what is done to it on the way.
  bool is_data(ExprId id) {
    if (id == kNoExpr) {
      return false;
    }
    const Expr& expr = program_.expr(id);
    switch (expr.kind) {
      case ExprKind::kName:
        return data_.contains(uses_.root_of(*method_, id));
      case ExprKind::kAttribute:  // x.shape is not x.
        return data_.contains(uses_.root_of(*method_, id)) ||
               (expr.text == "T" && is_data(expr.kids[0]));
      case ExprKind::kIndex:  // Which part it is does not count.
        return is_data(expr.kids[0]) || uses_.buffers.contains(uses_.root_of(*method_, id));
      case ExprKind::kCall:
        return call(expr);
      default:
        return operators(expr);
    }
  }

  bool any_is_data(const std::vector<ExprId>& ids) {
    bool data = false;
    for (const ExprId id : ids) {
      data = is_data(id) || data;  // All of them: each is counted.
    }
    return data;
  }

  bool operators(const Expr& expr) {
    const bool data = any_is_data(expr.kids);
    for (const Operator op : data ? expr.operators : std::vector<Operator>()) {
      add(info_of(op).text);
    }
    return data;
  }

  bool call(const Expr& expr) {
    const CallForm form = form_of(program_, expr);
    std::vector<ExprId> args;
    for (const CallArg& arg : form.args) {
      args.push_back(arg.expr);
    }
    const bool given = any_is_data(args);
    if (form.op == nullptr) {
      return given;
    }
    if (given || gives_data(*form.op)) {
      add(kind_of(*form.op));
    }
    return given || gives_data(*form.op);
  }

  void add(std::string_view kind) {
    if (counting_ && !kind.empty()) {
      ++counts_[std::string(kind)];
    }
  }

  const Program& program_;
  const Uses uses_;
  const std::string* method_ = nullptr;  ///< Where it is now.
  std::set<std::string> data_;           ///< Names, as Uses writes them.
  bool counting_ = false;
  std::map<std::string, std::uint32_t> counts_;
};

}  // namespace

Result<std::map<std::string, std::uint32_t>> count_operations(const std::string& text) {
  WS_TRY(const Program program, parse_program(text));
  return OperationCounter(program).run();
}

}  // namespace ws::ir
