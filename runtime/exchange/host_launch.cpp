#include "runtime/exchange/host_launch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/host_tensors.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// Three symbols that touch each other.
bool is_mark(Tokens tokens, std::size_t at, std::string_view symbol) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (at + i >= tokens.size() || tokens[at + i].text != symbol ||
        tokens[at + i].text.data() != tokens[at].text.data() + i) {
      return false;
    }
  }
  return true;
}

class LaunchReader {
 public:
  LaunchReader(Tokens statement, std::size_t place, HostScope& scope, const Problem& problem)
      : statement_(statement),
        place_(place),
        scope_(scope),
        problem_(problem) {}

  Result<Json> read() {
    const bool plain = std::ranges::none_of(statement_.first(place_), [](const RawToken& token) {
      return token.text == "(" || token.text == "{" || token.text == "=";
    });
    if (!plain || place_ == 0) {
      return unsupported("stands inside another statement");
    }
    std::size_t end = place_ + 3;
    while (end < statement_.size() && !is_mark(statement_, end, ">")) {
      const std::string_view text = statement_[end].text;
      const bool opens = text == "(" || text == "[" || text == "{";
      end = opens ? behind_bracket(statement_, end) : end + 1;
    }
    const auto config = split_at_commas(statement_.subspan(place_ + 3, end - place_ - 3));
    const std::size_t open = end + 3;
    if (config.size() < 2 || open >= statement_.size() || statement_[open].text != "(" ||
        behind_bracket(statement_, open) != statement_.size()) {
      return unsupported("is not understood");
    }
    Json launch = {{"entry", entry()}};
    WS_TRY(launch["grid"], extents(config[0]));
    WS_TRY(launch["block"], extents(config[1]));
    if (config.size() > 2) {
      WS_TRY(const HostValue shared, host_value(config[2], scope_));
      launch["shared_bytes"] = shared.text;
    }
    WS_TRY(launch["args"], arguments(split_at_commas(inside_of(statement_, open))));
    return launch;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> unsupported(const std::string& why) const {
    return fail(ErrorCode::kUnsupported,
                "the launch `" + quoted(text_of_tokens(statement_), 120) + "` " + why);
  }

  /// The kernel's name and its template arguments, constants of the host by their values.
  [[nodiscard]] std::string entry() {
    std::vector<RawToken> tokens(statement_.begin(),
                                 statement_.begin() + static_cast<std::ptrdiff_t>(place_));
    std::vector<std::string> numbers;  // They own the texts of tokens.
    numbers.reserve(tokens.size());
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const bool word = tokens[i].kind == RawToken::Kind::kWord;
      const auto value = word ? host_value(statement_.subspan(i, 1), scope_)
                              : Result<HostValue>(fail(ErrorCode::kUnsupported, ""));
      if (value && value->kind == HostValue::Kind::kNumber) {
        tokens[i].text = numbers.emplace_back(value->text);
      }
    }
    return text_of_tokens(tokens);
  }

  Result<Json> extents(Tokens tokens) {
    WS_TRY(const HostValue value, host_value(tokens, scope_));
    if (value.kind == HostValue::Kind::kNumber) {
      return Json::array({value.text});
    }
    if (value.kind != HostValue::Kind::kGrid || value.items.empty() || value.items.size() > 3) {
      return unsupported("has a grid or block that is not understood");
    }
    return Json(value.items);
  }

  Result<Json> arguments(const std::vector<Tokens>& parts) {
    const std::string_view name = statement_.front().text;
    const CppFunction* const kernel = scope_.text.function(name);
    if (kernel == nullptr || !kernel->kernel || kernel->parameters.size() != parts.size()) {
      return unsupported("does not fit a kernel of the text");
    }
    Json all = Json::array();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      WS_TRY(const HostValue value, host_value(parts[i], scope_));
      WS_TRY(Json argument, argument_of(value, kernel->parameters[i]));
      all.push_back(std::move(argument));
    }
    return all;
  }

  [[nodiscard]] Result<Json> argument_of(const HostValue& value, Tokens parameter) const {
    using Kind = HostValue::Kind;
    if (value.kind == Kind::kBuffer) {
      return value.offset.empty() ? Json(value.text)
                                  : Json{{"buffer", value.text}, {"offset", value.offset}};
    }
    const bool dim =
        std::ranges::find(problem_.dims, value.text, &DimSpec::name) != problem_.dims.end();
    if (value.kind == Kind::kScalar || (value.kind == Kind::kNumber && dim)) {
      return Json(value.text);
    }
    const std::string type =
        text_of_tokens(parameter.first(parameter.empty() ? 0 : parameter.size() - 1));
    const std::optional<DType> known = type_of_cpp(type);
    if (!known || (value.kind != Kind::kNumber && value.kind != Kind::kReal)) {
      return unsupported("gives the parameter `" + text_of_tokens(parameter) +
                         "` what a plan cannot give");
    }
    return Json{{"value", value.text}, {"type", name_of(*known)}};
  }

  const Tokens statement_;
  const std::size_t place_;
  HostScope& scope_;
  const Problem& problem_;
};

}  // namespace

std::optional<std::size_t> launch_place(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_mark(tokens, i, "<")) {
      return i;
    }
  }
  return std::nullopt;
}

Result<Json> read_launch(Tokens statement, std::size_t place, HostScope& scope,
                         const Problem& problem) {
  return LaunchReader(statement, place, scope, problem).read();
}

}  // namespace ws
