#include "runtime/exchange/host_code.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/host_launch.h"
#include "runtime/exchange/host_values.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using Kind = HostValue::Kind;

/// Statements that begin with one of these say nothing about a plan.
constexpr std::array<std::string_view, 12> kPassedOver = {"using",
                                                          "static_assert",
                                                          "printf",
                                                          "fprintf",
                                                          "assert",
                                                          "cudaGetLastError",
                                                          "throw",
                                                          "cudaFree",
                                                          "OptionalCUDAGuard",
                                                          "CUDAGuard",
                                                          "cudaDeviceSynchronize",
                                                          "cudaFuncSetAttribute"};

constexpr int kMaxBlocks = 16;  // Blocks in each other.

bool is_check(std::string_view word) {
  return word.find("CHECK") != std::string_view::npos ||
         word.find("ASSERT") != std::string_view::npos || word.starts_with("TVM_FFI_THROW") ||
         word.starts_with("AT_ERROR");
}

bool is_passed_over(Tokens statement) {
  const std::size_t head = std::min<std::size_t>(statement.size(), 8);
  return is_check(statement.front().text) ||
         std::ranges::any_of(statement.first(head), [](const RawToken& token) {
           return std::ranges::find(kPassedOver, token.text) != kPassedOver.end();
         });
}

class HostReader {
 public:
  HostReader(const CppText& text, const HostCall& call, const Problem& problem)
      : call_(call),
        problem_(problem),
        scope_{.text = text, .names = {}, .buffers = {}, .making = {}} {}

  Result<HostPlan> read() {
    const CppFunction* const function = scope_.text.function(call_.function);
    if (function == nullptr) {
      return fail(ErrorCode::kUnsupported,
                  "the C++ text has no function `" + call_.function + "` with a body");
    }
    WS_CHECK(add_parameters(*function));
    name_results(function->body);
    WS_CHECK(read_statements(function->body, 0));
    return plan();
  }

 private:
  Status add_parameters(const CppFunction& function) {
    if (function.parameters.size() != call_.arguments.size()) {
      return fail(ErrorCode::kUnsupported,
                  "`" + call_.function + "` has " + std::to_string(function.parameters.size()) +
                      " parameters, and " + std::to_string(call_.arguments.size()) +
                      " arguments are given to it");
    }
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      const ArgSpec* const arg = problem_.find_arg(call_.arguments[i]);
      if (arg == nullptr || function.parameters[i].empty()) {
        return fail(ErrorCode::kUnsupported,
                    "the problem has no argument `" + call_.arguments[i] + "`");
      }
      const bool scalar = arg->role == Role::kScalar;
      scope_.names[std::string(function.parameters[i].back().text)] = {
          .kind = scalar ? Kind::kScalar : Kind::kBuffer, .text = arg->name};
      scope_.buffers[arg->name] = {.type = arg->type, .shape = arg->shape};
    }
    return {};
  }

  /// Variables that the last `return` names are the problem's outputs, in order.
  void name_results(Tokens body) {
    std::vector<std::string> outputs;
    for (const ArgSpec& arg : problem_.args) {
      const bool given = std::ranges::find(call_.arguments, arg.name) != call_.arguments.end();
      if (arg.role == Role::kOut && !given) {
        outputs.push_back(arg.name);
      }
    }
    std::size_t from = body.size();
    while (from > 0 && body[from - 1].text != "return") {
      --from;
    }
    for (std::size_t i = from, next = 0; i < body.size() && next < outputs.size(); ++i) {
      const bool name = body[i].kind == RawToken::Kind::kWord && body[i].text != "std" &&
                        body[i].text != "make_tuple" && body[i].text != "tuple";
      if (name) {
        results_[std::string(body[i].text)] = outputs[next++];
        i = skip_members(body, i);
      }
    }
  }

  /// The last token of `name.view({n, m})`.
  static std::size_t skip_members(Tokens body, std::size_t i) {
    while (i + 1 < body.size() && (body[i + 1].text == "." || body[i + 1].text == "(")) {
      i = body[i + 1].text == "(" ? behind_bracket(body, i + 1) - 1 : i + 2;
    }
    return i;
  }

  Status read_statements(Tokens body, int depth) {
    for (std::size_t at = 0; at < body.size();) {
      const std::string_view word = body[at].text;
      std::size_t end = at;
      while (end < body.size() && body[end].text != ";") {
        const std::string_view text = body[end].text;
        const bool opens = text == "(" || text == "[" || text == "{";
        end = opens ? behind_bracket(body, end) : end + 1;
      }
      const Tokens statement = body.subspan(at, end - at);
      if (word == "if" || word == "else") {
        WS_TRY(at, pass_branch(body, at));
        continue;
      }
      if (word == "{") {
        end = behind_bracket(body, at);
        if (depth == kMaxBlocks) {
          return refuse(body.subspan(at, 1), "a block in so many blocks");
        }
        WS_CHECK(read_statements(inside_of(body, at), depth + 1));
        at = end;
        continue;
      }
      if (word == "for" || word == "while" || word == "switch" || word == "do") {
        return refuse(
            statement.first(behind_bracket(statement, std::min<std::size_t>(1, statement.size()))),
            "a loop or a switch of the host");
      }
      if (!statement.empty()) {
        WS_CHECK(read_statement(statement));
      }
      at = end + 1;
    }
    return {};
  }

  /// A branch that only leaves or complains is passed over; the judge sees what it was for.
  Result<std::size_t> pass_branch(Tokens body, std::size_t at) const {
    std::size_t end = at + 1;
    end += end < body.size() && body[end].text == "if" ? 1U : 0U;
    end = end < body.size() && body[end].text == "(" ? behind_bracket(body, end) : end;
    const std::size_t from = end;
    if (end < body.size() && body[end].text == "{") {
      end = behind_bracket(body, end);
    } else {
      while (end < body.size() && body[end].text != ";") {
        ++end;
      }
      ++end;
    }
    const Tokens inside = body.subspan(from, std::min(end, body.size()) - from);
    const std::size_t first = !inside.empty() && inside[0].text == "{" ? 1U : 0U;
    const bool leaves =
        first < inside.size() && (is_check(inside[first].text) || inside[first].text == "throw" ||
                                  inside[first].text == "return");
    if (!leaves || launch_place(inside)) {
      return refuse(body.subspan(at, from - at), "a branch of the host");
    }
    return end;
  }

  static tl::unexpected<Error> refuse(Tokens tokens, const std::string& what) {
    return fail(ErrorCode::kUnsupported,
                what + " cannot be part of a plan: `" + quoted(text_of_tokens(tokens), 120) + "`");
  }

  Status read_statement(Tokens statement) {
    if (const auto place = launch_place(statement)) {
      WS_TRY(Json launch, read_launch(statement, *place, scope_, problem_));
      launches_.push_back(std::move(launch));
      return {};
    }
    if (statement.front().text == "return" || is_passed_over(statement)) {
      return {};
    }
    const auto equals = std::ranges::find(statement, std::string_view("="), &RawToken::text);
    if (equals != statement.end()) {
      for (const Tokens& part : split_at_commas(statement)) {
        WS_CHECK(read_assignment(part, statement));
      }
      return {};
    }
    return read_construction(statement);
  }

  /// `const int n = a.size(0)`
  Status read_assignment(Tokens part, Tokens statement) {
    const auto equals = std::ranges::find(part, std::string_view("="), &RawToken::text);
    const auto at = static_cast<std::size_t>(equals - part.begin());
    if (equals == part.end() || at == 0 || part[at - 1].kind != RawToken::Kind::kWord) {
      return refuse(statement, "this statement of the host");
    }
    const std::string name(part[at - 1].text);
    const auto result = results_.find(name);
    scope_.making = result == results_.end() ? name : result->second;
    WS_TRY(HostValue value, host_value(part.subspan(at + 1), scope_));
    const bool real = std::ranges::any_of(part.first(at - 1), [](const RawToken& token) {
      return token.text == "float" || token.text == "double";
    });
    if (real && value.kind == Kind::kNumber) {
      value.kind = Kind::kReal;
    }
    if (part[0].text == "dim3" && value.kind == Kind::kNumber) {
      value = {.kind = Kind::kGrid, .items = {value.text}};
    }
    scope_.names[name] = std::move(value);
    return {};
  }

  /// `dim3 grid(a, b)`, `int n(3)`, `const auto x{y}`
  Status read_construction(Tokens statement) {
    const auto open = std::ranges::find_if(
        statement, [](const RawToken& token) { return token.text == "(" || token.text == "{"; });
    const auto at = static_cast<std::size_t>(open - statement.begin());
    if (open == statement.end() || at < 2 || behind_bracket(statement, at) != statement.size() ||
        statement[at - 2].text == ":" || statement[at - 2].text == ".") {
      return refuse(statement, "this statement of the host");
    }
    std::vector<HostValue> values;
    for (const Tokens& part : split_at_commas(inside_of(statement, at))) {
      WS_TRY(HostValue value, host_value(part, scope_));
      values.push_back(std::move(value));
    }
    HostValue made = {.kind = Kind::kGrid};
    for (const HostValue& value : values) {
      made.items.push_back(value.text);
    }
    scope_.names[std::string(statement[at - 1].text)] =
        statement[at - 2].text == "dim3" || values.size() != 1 ? made : values[0];
    return {};
  }

  [[nodiscard]] Result<HostPlan> plan() const {
    if (launches_.empty()) {
      return fail(ErrorCode::kUnsupported, "`" + call_.function + "` launches no kernel itself");
    }
    HostPlan made;
    Json kernel = {
        {"language", "cuda"}, {"source", scope_.text.device_source()}, {"launches", launches_}};
    for (const auto& [name, buffer] : scope_.buffers) {
      const bool output = problem_.find_arg(name) != nullptr;
      if (buffer.made && output && buffer.zero) {
        made.notes.push_back("the host's code sets `" + name +
                             "` to zero, which a plan does not do: it must be written whole");
      } else if (buffer.made && !output) {
        kernel["scratch"].push_back({{"name", name},
                                     {"type", name_of(buffer.type)},
                                     {"shape", buffer.shape},
                                     {"zero", buffer.zero}});
      }
    }
    made.kernel = kernel.dump();
    return made;
  }

  const HostCall& call_;
  const Problem& problem_;
  HostScope scope_;
  std::map<std::string, std::string> results_;  // Variable -> the output that it is.
  Json launches_ = Json::array();
};

}  // namespace

Result<HostPlan> plan_of_host_code(const CppText& text, const HostCall& call,
                                   const Problem& problem) {
  return HostReader(text, call, problem).read();
}

}  // namespace ws
