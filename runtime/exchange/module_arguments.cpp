#include "runtime/exchange/module_arguments.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"

namespace ws {
namespace {

/// The text between the last `begin` and the `end` behind it: the module's own code stands before.
std::optional<std::string_view> last_between(std::string_view source, std::string_view begin,
                                             std::string_view end) {
  const std::size_t at = source.rfind(begin);
  const std::size_t from = at + begin.size();
  const std::size_t to = at == std::string_view::npos ? at : source.find(end, from);
  return to == std::string_view::npos ? std::nullopt
                                      : std::optional(source.substr(from, to - from));
}

/// "'conv.weight'" without its quotes.
std::optional<std::string> unquoted(std::string_view text) {
  const bool plain = text.size() >= 2 && text.starts_with('\'') && text.ends_with('\'') &&
                     text.find_first_of("'\\", 1) == text.size() - 1;
  return plain ? std::optional(std::string(text.substr(1, text.size() - 2))) : std::nullopt;
}

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    items.push_back(list.substr(at, end - at));
    at = end + 2;
  }
  return items;
}

/// "tensors['x'], 2.0": arguments, and numbers that the module always gets.
std::optional<std::vector<std::string>> inputs_in(std::string_view call, const Problem& problem) {
  std::vector<std::string> inputs;
  for (std::string_view item : items_of(call)) {
    constexpr std::string_view kTensor = "tensors[";
    if (!item.starts_with(kTensor)) {
      inputs.emplace_back();
      continue;
    }
    const std::optional<std::string> name =
        unquoted(item.substr(kTensor.size(), item.size() - kTensor.size() - 1));
    if (!name || problem.find_arg(*name) == nullptr) {
      return std::nullopt;
    }
    inputs.push_back(*name);
  }
  return inputs;
}

/// "('conv.weight', 'conv_weight'), ('shift', 'shift')"
std::optional<std::map<std::string, std::string>> weights_in(std::string_view list,
                                                             const Problem& problem) {
  const std::vector<std::string_view> items = items_of(list);
  std::map<std::string, std::string> weights;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const bool pair = items[i].starts_with('(') && items[i + 1].ends_with(')');
    const auto weight = pair ? unquoted(items[i].substr(1)) : std::nullopt;
    const auto name =
        pair ? unquoted(items[i + 1].substr(0, items[i + 1].size() - 1)) : std::nullopt;
    if (!weight || !name || problem.find_arg(*name) == nullptr) {
      return std::nullopt;
    }
    weights[*weight] = *name;
  }
  return items.size() % 2 == 0 ? std::optional(std::move(weights)) : std::nullopt;
}

}  // namespace

std::optional<ModuleArguments> module_arguments(const Problem& problem) {
  const std::string_view source = problem.reference_source;
  const auto call = last_between(source, "\n        result = model(", ")\n");
  const auto list = last_between(source, "\n        for name, argument in [", "]:\n");
  if (!call || !list) {
    return std::nullopt;
  }
  auto inputs = inputs_in(*call, problem);
  auto weights = weights_in(*list, problem);
  if (!inputs || !weights) {
    return std::nullopt;
  }
  return ModuleArguments{.inputs = *std::move(inputs), .weights = *std::move(weights)};
}

}  // namespace ws
