#include "tools/choice.h"

#include <string_view>

namespace ws {
namespace {

// As the archive words it: "`krn_a` is the beginning of several kernels: krn_a_1, krn_a_2".
constexpr std::string_view kSeveral = "` is the beginning of several ";
constexpr std::string_view kNotAll = " and more";

/// Nothing where it is no list of ids.
std::vector<std::string> ids_of(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> ids;
  while (!list.empty()) {
    const std::size_t end = list.find(kBetween);
    ids.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + kBetween.size());
    if (ids.back().find(' ') != std::string::npos) {
      return {};
    }
  }
  return ids;
}

std::string argument_with(const Json& arguments, const std::string& value) {
  for (const auto& [name, own] : arguments.items()) {
    if (own.is_string() && own.get_ref<const std::string&>() == value) {
      return name;
    }
  }
  return {};
}

}  // namespace

std::optional<Choice> choice_of(const Json& arguments, const Error& error) {
  const std::string& message = error.message;
  const std::size_t several = message.find(kSeveral);
  const std::size_t list = message.find(": ", several);
  if (!message.starts_with('`') || several == std::string::npos || list == std::string::npos ||
      message.ends_with(kNotAll)) {
    return std::nullopt;
  }
  const std::string value = message.substr(1, several - 1);
  Choice choice{.argument = argument_with(arguments, value),
                .question = message.substr(0, list) + ". Which one is meant?",
                .values = ids_of(std::string_view(message).substr(list + 2))};
  return choice.argument.empty() || choice.values.size() < 2 ? std::nullopt
                                                             : std::optional(std::move(choice));
}

}  // namespace ws
