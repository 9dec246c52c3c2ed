#include "tools/kernels/helper_headers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "runtime/session/skills.h"

namespace ws {
namespace {

using Names = std::vector<std::string>;

/// The names in `#include "NAME"` and `#include <NAME>` that end as helper files do.
void add_includes(std::string_view text, Names& names) {
  constexpr std::string_view kInclude = "include";
  constexpr std::string_view kBlanks = " \t";
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t word = std::min(line.find_first_not_of(kBlanks, 1), line.size());
    if (!line.substr(word).starts_with(kInclude)) {
      continue;
    }
    const std::size_t open = line.find_first_of("\"<", word);
    const std::size_t close = line.find_first_of("\">", open + 1);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      continue;
    }
    const std::string_view name = line.substr(open + 1, close - open - 1);
    if (name.ends_with(".cuh")) {
      names.emplace_back(name);
    }
  }
}

void add_includes_of(const Json& form, const char* field, Names& names) {
  const auto text = form.find(field);
  if (text != form.end() && text->is_string()) {
    add_includes(text->get_ref<const std::string&>(), names);
  }
}

}  // namespace

bool add_helper_headers(const Services& services, Json& form) {
  if (!form.is_object()) {
    return false;
  }
  Names names;
  add_includes_of(form, "source", names);
  add_includes_of(form, "macros", names);
  Json headers = form.value("headers", Json::object());
  if (!headers.is_object()) {
    return false;  // The form's reader says what is wrong.
  }
  for (const auto& header : headers.items()) {
    add_includes_of(headers, header.key().c_str(), names);
  }
  std::erase_if(names, [&headers](const std::string& name) { return headers.contains(name); });
  if (names.empty()) {
    return false;
  }
  const SkillLibrary skills = current_skills(services.options);
  std::erase_if(names, [&](const std::string& name) { return !skills.helpers.contains(name); });
  if (names.empty()) {
    return false;
  }
  for (const auto& [name, text] : skills.with_includes(names)) {
    if (!headers.contains(name)) {
      headers[name] = text;
    }
  }
  form["headers"] = std::move(headers);
  return true;
}

}  // namespace ws
