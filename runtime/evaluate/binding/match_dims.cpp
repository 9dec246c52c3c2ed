#include "runtime/evaluate/binding/match_dims.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

using Order = std::vector<std::size_t>;

/// Orders that are tried, of all arguments together: some milliseconds. What is not found then has
/// to be said.
constexpr int kMostTried = 20'000;

/// Matches the dimensions of all arguments, one argument after the other, going back where the
/// choices for the first ones leave none for a later one.
class Dimensions {
 public:
  Dimensions(const Problem& own, const Problem& other, Binding& binding)
      : binding_(binding) {
    for (const BoundArg& arg : binding.args) {
      args_.emplace_back(own.find_arg(arg.own), other.find_arg(arg.other));
    }
    // No two expressions share a size by chance, and products of five dims fit into 64 bits.
    constexpr std::int64_t kUnit = 192;  // Often divided by.
    std::int64_t factor = 11;
    for (const DimSpec& dim : own.dims) {
      sizes_[dim.name] = kUnit * factor;
      factor += 2;
    }
  }

  /// @return  False: nothing fits; the binding is as before.
  bool find(std::size_t index = 0) {
    if (index == binding_.args.size()) {
      return true;
    }
    if (const std::optional<Order> said = binding_.args[index].order) {
      return takes(index, *said);
    }
    // As it is, reversed, and all others.
    Order order(args_[index].first->shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Order reversed(order.rbegin(), order.rend());
    bool found = takes(index, order) || (reversed != order && takes(index, reversed));
    while (!found && tried_ < kMostTried && std::ranges::next_permutation(order).found) {
      found = takes(index, order);
    }
    return found;
  }

 private:
  /// Whether this argument may have the order, and those after it some.
  bool takes(std::size_t index, const Order& order) {
    if (tried_ >= kMostTried) {
      return false;
    }
    BoundArg& arg = binding_.args[index];
    const std::map<std::string, std::string> before = binding_.dims;
    const std::optional<Order> said = std::exchange(arg.order, order);
    ++tried_;
    if (fits(*args_[index].first, *args_[index].second, order) && find(index + 1)) {
      return true;
    }
    binding_.dims = before;
    arg.order = said;
    return false;
  }

  /// Binds the dims that get their meaning here.
  bool fits(const ArgSpec& own, const ArgSpec& other, const Order& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& wanted = own.shape[order[i]];
      const bool open_dim =
          is_identifier(other.shape[i]) && binding_.dims.count(other.shape[i]) == 0;
      if (open_dim) {
        binding_.dims[other.shape[i]] = wanted;
      } else if (!is_same(wanted, other.shape[i])) {
        return false;
      }
    }
    return true;
  }

  /// True, too, where a dim of the other's expression is not bound yet.
  [[nodiscard]] bool is_same(const std::string& own, const std::string& other) const {
    const Result<Expr> text = parse_expr(other);
    const Result<std::int64_t> size = eval_expr(own, sizes_);
    if (!text || !size) {
      return false;
    }
    Bindings sizes;
    for (const std::string& name : text->names()) {
      const auto bound = binding_.dims.find(name);
      if (bound == binding_.dims.end()) {
        return true;
      }
      const Result<std::int64_t> value = eval_expr(bound->second, sizes_);
      if (!value) {
        return false;
      }
      sizes[name] = *value;
    }
    const Result<std::int64_t> got = text->eval(sizes);
    return got && *got == *size;
  }

  Binding& binding_;
  std::vector<std::pair<const ArgSpec*, const ArgSpec*>> args_;  // As the binding's; the own first.
  Bindings sizes_;
  int tried_ = 0;
};

}  // namespace

bool match_dims(const Problem& own, const Problem& other, Binding& binding) {
  return Dimensions(own, other, binding).find();
}

}  // namespace ws
