// The kernel: its arguments, __init__, run and the roles that run binds.
#include "runtime/ir/check/checker.h"

#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/checker_impl.h"

namespace ws::ir {
namespace {

Type three_numbers() {
  return Type::tuple(std::vector<Type>(3, Type::integer(Affine::unknown())));
}

}  // namespace

Type Checker::broken() {
  Type type;
  type.kind = Kind::kMixed;
  return type;
}

Type Checker::error(SourcePlace place, std::string message, std::string hint) {
  diagnostics_.add(place, std::move(message), std::move(hint));
  return broken();
}

Type Checker::error(SourcePlace place, const Error& cause, const std::string& prefix) {
  return error(place, prefix + cause.message, cause.hint);
}

void Checker::run() {
  constants();
  setup();
  roles();
}

void Checker::constants() {
  globals_["blockIdx"] = three_numbers();
  globals_["inf"] = Type::real();
  for (const std::vector<StmtId>* list : {&program_.before, &program_.constants}) {
    block(*list);
  }
  globals_.insert(locals_.begin(), locals_.end());
  for (const StmtId id : program_.constants) {
    for (const ExprId target : program_.stmt(id).targets) {
      const Expr& expr = program_.expr(target);
      if (expr.kind == ExprKind::kName && locals_.count(expr.text) > 0) {
        self_[expr.text] = locals_[expr.text];
      }
    }
  }
  locals_.clear();
}

Type Checker::argument(const Param& param) {
  const auto given = std::find_if(args_.begin(), args_.end(),
                                  [&](const KernelArg& arg) { return arg.name == param.name; });
  if (given != args_.end()) {
    return given->type;
  }
  if (param.default_value == kNoExpr) {
    return error(param.place, "argument `" + param.name + "` of the kernel is not given");
  }
  return eval(param.default_value);
}

// `Q: f16[M, 64]`: the type and the sizes must be those; names stand for sizes from here on.
void Checker::annotation(const Param& param, const Type& type, Names& names) {
  if (param.annotation == kNoExpr || is_broken(type)) {
    return;
  }
  const Expr& expr = program_.expr(param.annotation);
  if (expr.kind != ExprKind::kIndex || type.kind != Kind::kBuffer) {
    return;  // `int`, `Tensor`: for the reader.
  }
  const std::string& dtype = program_.expr(expr.kids[0]).text;
  if (dtype != name_of(type.dtype) || expr.kids.size() - 1 != type.shape.size()) {
    error(param.place, "`" + param.name + "` is declared with other elements or dimensions, got " +
                           describe(type));
    return;
  }
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    const Expr& size = program_.expr(expr.kids[i + 1]);
    const Type actual = Type::integer(type.shape[i]);
    if (size.kind == ExprKind::kName) {
      const Type known = names.try_emplace(size.text, actual).first->second;
      if (known.constant() != actual.constant()) {
        error(size.place, "`" + size.text + "` is " + std::to_string(*known.constant()) +
                              " and here " + std::to_string(type.shape[i]));
      }
    } else if (size.kind != ExprKind::kInteger || size.integer != type.shape[i]) {
      error(size.place, "this size is " + std::to_string(type.shape[i]) + " in the argument");
    }
  }
}

void Checker::setup() {
  const Method* init = program_.find_method("__init__");
  if (init == nullptr || program_.find_method("run") == nullptr) {
    error(program_.place,
          "the class has no method `" + std::string(init == nullptr ? "__init__" : "run") + "`");
    return;
  }
  for (const KernelArg& arg : args_) {
    const bool known = std::any_of(init->params.begin(), init->params.end(),
                                   [&](const Param& param) { return param.name == arg.name; });
    if (!known) {
      error(init->place, "__init__ has no parameter `" + arg.name + "`");
    }
  }
  Names names;
  for (const Param& param : init->params) {
    const Type type = argument(param);
    annotation(param, type, names);
    names[param.name] = type;
  }
  const Type one = Type::tuple({Type::integer(1), Type::integer(1), Type::integer(1)});
  self_["gridDim"] = one;
  self_["clusterDim"] = one;
  locals_ = std::move(names);
  calls_ = {"__init__"};
  block(init->body);
  globals_["gridDim"] = three_numbers();
  for (const std::string name : {"gridDim", "clusterDim"}) {
    const Type& size = self_[name];
    if (!is_broken(size) && (size.kind != Kind::kTuple || size.items.empty() ||
                             size.items.size() > globals_["gridDim"].items.size())) {
      error(init->place,
            "self." + name + " must be a tuple of one to three sizes, got " + describe(size));
    }
  }
}

void Checker::roles() {
  const Method* run = program_.find_method("run");
  if (run == nullptr || calls_.empty()) {
    return;
  }
  locals_.clear();
  calls_ = {"run"};
  block(run->body);
  in_role_ = true;
  for (const BoundRole& bound : bound_) {
    const Method& role = *program_.find_method(bound.method);
    locals_.clear();
    calls_ = {bound.method};
    returned_ = Type();
    for (std::size_t i = 0; i < role.params.size(); ++i) {
      const Param& param = role.params[i];
      locals_[param.name] = i == 0                           ? bound.number
                            : param.default_value == kNoExpr ? bound.place
                                                             : eval(param.default_value);
    }
    block(role.body);
  }
}

void Checker::bind(const std::vector<Type>& args, SourcePlace place) {
  const std::string& name = args[0].text;
  const Method& role = *program_.find_method(name);
  for (std::size_t i = 2; i < role.params.size(); ++i) {
    if (role.params[i].default_value == kNoExpr) {
      error(place,
            "`" + name +
                "` is bound: its arguments are the number it is bound to, and its place among "
                "those of that bind");
      return;
    }
  }
  const bool whole = args[1].text == "block";
  if (whole != (args.size() == 2 || args[2].kind == Kind::kNone)) {
    error(place,
          whole ? "a role of the whole block has no number"
                : "say which " + args[1].text + " runs `" + name + "`",
          whole ? "" : "self.bind(self." + name + ", \"" + args[1].text + "\", 0)");
    return;
  }
  for (std::size_t i = 2; i < std::max<std::size_t>(args.size(), 3); ++i) {
    const Type number = whole ? Type::integer(0) : args[i];
    if (!number.constant()) {
      error(place, "the number of a role is not constant");
      return;
    }
    const Result<Threads> threads = threads_of(args[1].text, *number.constant());
    const std::string shown = whole ? name : name + "(" + std::to_string(*number.constant()) + ")";
    const RoleThreads next{shown, threads ? *threads : Threads()};
    const Status status = threads ? check_disjoint(taken_, next) : Status(fail(threads.error()));
    if (!status) {
      error(place, status.error());
      return;
    }
    taken_.push_back(next);
    bound_.push_back({name, number, Type::integer(static_cast<std::int64_t>(i - 2))});
  }
}

bool check(const Program& program, std::span<const KernelArg> args, Diagnostics& diagnostics,
           std::vector<Type>* types) {
  if (types != nullptr) {
    types->assign(program.exprs.size(), Type());
  }
  Checker(program, args, diagnostics, types).run();
  return diagnostics.empty();
}

}  // namespace ws::ir
