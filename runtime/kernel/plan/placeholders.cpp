#include "runtime/kernel/plan/placeholders.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/nearest.h"
#include "runtime/base/text.h"
#include "runtime/kernel/language.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {
namespace {

/// Where in C++ text a position lies. A quote that is never closed ends with its line, so that a
/// digit separator (1'000) hides no more than the rest of that line.
class CodeTracker {
 public:
  void step(std::string_view text, std::size_t at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (skip_) {
      skip_ = false;
      return;
    }
    switch (state_) {
      case State::kCode:
        return enter(c, next);
      case State::kBlockComment:
        return leave_if(c == '*' && next == '/', true);
      case State::kLineComment:
        return leave_if(c == '\n', false);
      case State::kQuoted:
        skip_ = c == '\\';  // Also a line continuation.
        return leave_if(c == '\n' || c == quote_, false);
    }
  }

  [[nodiscard]] bool in_code() const { return state_ == State::kCode; }

 private:
  enum class State : std::uint8_t { kCode, kQuoted, kLineComment, kBlockComment };

  void enter(char c, char next) {
    if (c == '"' || c == '\'') {
      state_ = State::kQuoted;
      quote_ = c;
    } else if (c == '/' && (next == '/' || next == '*')) {
      state_ = next == '/' ? State::kLineComment : State::kBlockComment;
      skip_ = true;  // So that /*/ does not close itself.
    }
  }

  void leave_if(bool ends, bool two_characters) {
    if (ends) {
      state_ = State::kCode;
      skip_ = two_characters;
    }
  }

  State state_ = State::kCode;
  char quote_ = '"';
  bool skip_ = false;
};

/// The X of an @X@ that begins at `at`, or empty.
std::string_view placeholder_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_word(text[end])) {
    ++end;
  }
  const bool closed = end < text.size() && text[end] == '@' && end > at + 1;
  return closed ? text.substr(at + 1, end - at - 1) : std::string_view();
}

tl::unexpected<Error> undeclared(std::string_view text, std::size_t at, const std::string& name,
                                 const Bindings& values, const Bindings& dims,
                                 const std::string& region) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0.
  const std::string shown(text.substr(start, text.find('\n', at) - start));
  std::vector<std::string> known;
  for (const auto& [key, value] : values) {
    known.push_back(key);
  }
  std::string hint = dims.count(name) > 0 ? "list the dim in `specialize` to compile it in"
                     : known.empty()      ? "declare it in `params`"
                                          : suggest(name, known);
  hint += "\n  " + shown + "\n  " + std::string(at - start, ' ') + "^";
  return fail(ErrorCode::kInvalidArgument,
              "`@" + name + "@` is not declared at " + region + ":" + std::to_string(line) + ":" +
                  std::to_string(at - start + 1),
              std::move(hint));
}

/// Parameters and specialised dims: what a kernel may name between @.
Bindings placeholder_values(const Kernel& kernel, const Workload& workload, const Params& params) {
  Bindings values = params;
  for (const std::string& dim : kernel.specialize) {
    if (const auto value = workload.dims.find(dim); value != workload.dims.end()) {
      values[dim] = value->second;
    }
  }
  return values;
}

/// Parameters reach a kernel of tiles as arguments: `@` is a decorator there, or a product.
RenderedSource render_tiles(const Kernel& kernel) {
  RenderedSource rendered;
  rendered.language = kernel.language;
  rendered.source = kernel.source;
  rendered.headers = kernel.headers;
  for (const LaunchSpec& launch : kernel.launches) {
    rendered.entries.push_back(launch.entry);
  }
  std::ranges::sort(rendered.entries);
  const auto repeated = std::ranges::unique(rendered.entries);
  rendered.entries.erase(repeated.begin(), repeated.end());
  return rendered;
}

}  // namespace

Result<std::string> substitute(const std::string& text, const Bindings& values,
                               const Bindings& dims, const std::string& region) {
  std::string result;
  result.reserve(text.size());
  CodeTracker place;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view name = text[i] == '@' ? placeholder_at(text, i) : std::string_view();
    if (name.empty()) {
      place.step(text, i);
      result += text[i];
      continue;
    }
    const auto value = values.find(std::string(name));
    if (value != values.end()) {
      result += std::to_string(value->second);
      i += name.size() + 1;
    } else if (place.in_code()) {
      return undeclared(text, i, std::string(name), values, dims, region);
    } else {
      result += text[i];
    }
  }
  return result;
}

Result<std::string> substitute_entry(const Kernel& kernel, const Workload& workload,
                                     const Params& params, const std::string& entry) {
  return substitute(entry, placeholder_values(kernel, workload, params), workload.dims, "entry");
}

Result<RenderedSource> render(const Kernel& kernel, const Workload& workload,
                              const Params& params) {
  if (is_tile_language(kernel.language)) {
    return render_tiles(kernel);
  }
  const Bindings values = placeholder_values(kernel, workload, params);
  RenderedSource rendered;
  rendered.language = kernel.language;
  rendered.options = kernel.options;
  rendered.headers = kernel.headers;
  WS_TRY(rendered.source, substitute(kernel.source, values, workload.dims, "source"));
  WS_TRY(rendered.macros, substitute(kernel.macros, values, workload.dims, "macros"));
  for (const LaunchSpec& launch : kernel.launches) {
    WS_TRY(std::string entry, substitute(launch.entry, values, workload.dims, "entry"));
    std::vector<std::string>& entries = rendered.entries;
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
      entries.push_back(std::move(entry));
    }
  }
  return rendered;
}

}  // namespace ws
