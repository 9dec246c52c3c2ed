#include "runtime/evaluate/binding/match_dims.h"

#include <algorithm>
#include <numeric>

#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

using Order = std::vector<std::size_t>;

/// Matches the dimensions of all arguments, one argument after the other, going back where the
/// choices for the first ones leave none for a later one.
class Dimensions {
 public:
  Dimensions(const Problem& own, const Problem& other, Binding& binding)
      : own_(own),
        other_(other),
        binding_(binding) {
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
    BoundArg& arg = binding_.args[index];
    const ArgSpec& own = *own_.find_arg(arg.own);
    const ArgSpec& other = *other_.find_arg(arg.other);
    const std::optional<Order> said = arg.order;
    for (const Order& order : said ? std::vector<Order>(1, *said) : orders_of(own.shape.size())) {
      const std::map<std::string, std::string> before = binding_.dims;
      arg.order = order;
      if (fits(own, other, order) && find(index + 1)) {
        return true;
      }
      binding_.dims = before;
      arg.order = said;
    }
    return false;
  }

 private:
  /// As it is, reversed, and all others.
  static std::vector<Order> orders_of(std::size_t rank) {
    Order order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<Order> orders = {order, Order(order.rbegin(), order.rend())};
    while (std::next_permutation(order.begin(), order.end())) {
      orders.push_back(order);
    }
    return orders;
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

  const Problem& own_;
  const Problem& other_;
  Binding& binding_;
  Bindings sizes_;
};

}  // namespace

bool match_dims(const Problem& own, const Problem& other, Binding& binding) {
  return Dimensions(own, other, binding).find();
}

}  // namespace ws
