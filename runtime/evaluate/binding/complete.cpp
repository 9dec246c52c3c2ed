// Finds what a client left out of a binding.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>

#include "runtime/evaluate/binding/binding.h"
#include "runtime/evaluate/binding/match_dims.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/json_reader.h"

namespace ws {
namespace {

/// In capitals or not.
bool is_same_name(const std::string& a, const std::string& b) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string names_of(const std::vector<ArgSpec>& args) {
  std::string names;
  for (const ArgSpec& arg : args) {
    names += (names.empty() ? "`" : ", `") + arg.name + "`";
  }
  return names;
}

std::string dims_of(const Problem& problem) {
  std::string names;
  for (const DimSpec& dim : problem.dims) {
    names += (names.empty() ? "`" : ", `") + dim.name + "`";
  }
  return names.empty() ? "no dims" : names;
}

tl::unexpected<Error> misfit(const std::string& message, const std::string& hint) {
  return fail(ErrorCode::kInvalidArgument, message, hint);
}

/// Whether the values of one can be those of the other.
bool is_alike(const ArgSpec& own, const ArgSpec& other) {
  const bool types =
      own.type == other.type || (!is_float(own.type) && !is_float(other.type) &&
                                 own.type != DType::kBool && other.type != DType::kBool);
  return types && own.role == other.role && own.shape.size() == other.shape.size();
}

Status check_dims(const Problem& own, const Problem& other, const Binding& said) {
  std::vector<std::string> known;
  known.reserve(own.dims.size());
  for (const DimSpec& dim : own.dims) {
    known.push_back(dim.name);
  }
  for (const auto& [name, size] : said.dims) {
    const bool is_dim = std::ranges::any_of(
        other.dims, [&name = name](const DimSpec& dim) { return dim.name == name; });
    if (!is_dim) {
      return misfit("binding.dims." + name + ": the other problem has no such dim",
                    "it has " + dims_of(other));
    }
    const Result<Expr> text = parse_expr(size);
    const Status fine = text ? text->check_names(known) : fail(text.error());
    if (!fine) {
      return at_path("binding.dims." + name, fine.error());
    }
  }
  return {};
}

Status check_arg(const Problem& own, const Problem& other, const BoundArg& said) {
  const ArgSpec* const mine = own.find_arg(said.own);
  const ArgSpec* const theirs = other.find_arg(said.other);
  const std::string field = "binding.args." + said.own;
  if (mine == nullptr) {
    return misfit(field + ": the kernel's problem has no such argument",
                  "its arguments are " + names_of(own.args));
  }
  if (theirs == nullptr) {
    return misfit(field + ": the other problem has no argument `" + said.other + "`",
                  "its arguments are " + names_of(other.args));
  }
  if (!is_alike(*mine, *theirs)) {
    return misfit(field + ": `" + said.other + "` has another type, role or rank",
                  "a binding changes the order of dimensions and adds to whole numbers");
  }
  if (said.add != 0 && is_float(mine->type)) {
    return misfit(field + ".add: `" + said.own + "` holds no whole numbers",
                  "it is for indices that begin with another number");
  }
  if (said.order) {
    const std::set<std::size_t> places(said.order->begin(), said.order->end());
    const std::size_t rank = mine->shape.size();
    if (said.order->size() != rank || places.size() != rank ||
        (rank > 0 && *places.rbegin() >= rank)) {
      return misfit(field + ".order: it is no order of " + std::to_string(rank) + " dimensions",
                    "for the dimensions of `" + said.other + "` in turn, it names those of `" +
                        said.own + "`, from 0");
    }
  }
  return {};
}

/// Adds the arguments that nobody has bound: first those whose names agree, then by place.
Status match_args(const Problem& own, const Problem& other, Binding& binding) {
  std::set<std::string> taken;
  std::set<std::string> bound;
  for (const BoundArg& arg : binding.args) {
    taken.insert(arg.own);
    bound.insert(arg.other);
  }
  enum class By : std::uint8_t { kName, kAnyCase, kPlace };
  for (const By by : {By::kName, By::kAnyCase, By::kPlace}) {
    for (const ArgSpec& theirs : other.args) {
      const auto mine = std::ranges::find_if(own.args, [&](const ArgSpec& arg) {
        return taken.count(arg.name) == 0 && is_alike(arg, theirs) &&
               (by == By::kPlace || arg.name == theirs.name ||
                (by == By::kAnyCase && is_same_name(arg.name, theirs.name)));
      });
      if (mine == own.args.end() || bound.count(theirs.name) != 0) {
        continue;
      }
      binding.args.push_back({mine->name, theirs.name, std::nullopt, 0});
      taken.insert(mine->name);
      bound.insert(theirs.name);
    }
  }
  for (const ArgSpec& theirs : other.args) {
    const ArgSpec* const mine = own.find_arg(theirs.name);
    if (bound.count(theirs.name) == 0 && mine != nullptr && taken.count(mine->name) == 0) {
      return misfit("`" + theirs.name + "` has another type, role or rank in the two problems",
                    "compare kernels of problems that agree in it");
    }
    if (theirs.role != Role::kOut && bound.count(theirs.name) == 0) {
      return misfit("nothing gives the other kernel its argument `" + theirs.name + "`",
                    "say it in `binding.args`: the kernel's arguments are " + names_of(own.args));
    }
  }
  for (const ArgSpec& mine : own.args) {
    const bool output = mine.role == Role::kOut || mine.role == Role::kInout;
    if (output && taken.count(mine.name) == 0) {
      return misfit(
          "nothing of the other kernel can be compared with the output `" + mine.name + "`",
          "say it in `binding.args`: the other problem's arguments are " + names_of(other.args));
    }
  }
  return {};
}

}  // namespace

Result<Binding> complete_binding(const Problem& own, const Problem& other, const Binding& said) {
  WS_CHECK(check_dims(own, other, said));
  Binding binding = said;
  std::set<std::string> bound;
  for (const BoundArg& arg : binding.args) {
    WS_CHECK(check_arg(own, other, arg));
    if (!bound.insert(arg.other).second) {
      return misfit("binding.args." + arg.own + ": `" + arg.other + "` is bound already",
                    "each argument of the other problem belongs to one");
    }
  }
  WS_CHECK(match_args(own, other, binding));
  const std::map<std::string, std::string> dims = binding.dims;
  // Dims of one name are mostly the same. Where that fits nowhere, names mean nothing.
  for (const DimSpec& theirs : other.dims) {
    auto same = std::ranges::find(own.dims, theirs.name, &DimSpec::name);
    if (same == own.dims.end()) {
      same = std::ranges::find_if(
          own.dims, [&](const DimSpec& mine) { return is_same_name(mine.name, theirs.name); });
    }
    if (same != own.dims.end()) {
      binding.dims.emplace(theirs.name, same->name);
    }
  }
  bool found = match_dims(own, other, binding);
  if (!found) {
    binding.dims = dims;
    found = match_dims(own, other, binding);
  }
  if (!found) {
    return misfit("no order of dimensions makes the shapes of the two problems agree",
                  "say in `binding` what differs: `dims` has each dim of the other problem as an "
                  "expression over " +
                      dims_of(own) + ", and `order` in `args` the dimensions of an argument");
  }
  for (const DimSpec& dim : other.dims) {
    if (binding.dims.count(dim.name) == 0 && !dim.open && dim.values.size() == 1) {
      binding.dims[dim.name] = std::to_string(dim.values.front());
    }
    if (binding.dims.count(dim.name) == 0) {
      return misfit("nothing gives the other problem's dim `" + dim.name + "` a size",
                    "say it in `binding.dims`, as an expression over " + dims_of(own));
    }
  }
  return binding;
}

}  // namespace ws
