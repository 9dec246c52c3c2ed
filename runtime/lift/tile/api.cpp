#include "runtime/lift/tile/api.h"

#include <algorithm>

namespace ws::lift::tile {
namespace {

/// "load(pointer, *shape)".
Spelling parse_spelling(std::string_view text) {
  Spelling spelling;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) {
    return spelling;
  }
  spelling.name = text.substr(0, open);
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
    if (name.front() == '*') {
      spelling.repeated = true;
      spelling.repeated_at = spelling.parameters.size();
      name.remove_prefix(1);
    }
    spelling.parameters.emplace_back(name);
  }
  return spelling;
}

std::vector<ApiInfo> make_list() {
  return {
#define WS_TILE_API(id, group, cuir, triton, cutile, cutile_jl) \
  {Api::id,                                                     \
   ApiGroup::group,                                             \
   cuir,                                                        \
   parse_spelling(triton),                                      \
   parse_spelling(cutile),                                      \
   parse_spelling(cutile_jl)},
#include "runtime/lift/tile/api.def"
#undef WS_TILE_API
  };
}

}  // namespace

std::string Spelling::text() const {
  std::string list;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    list +=
        (i == 0 ? "" : ", ") + std::string(repeated && i == repeated_at ? "*" : "") + parameters[i];
  }
  return name + "(" + list + ")";
}

const Spelling& ApiInfo::spelling(Language language) const {
  return language == Language::kTriton   ? triton
         : language == Language::kCutile ? cutile
                                         : cutile_jl;
}

std::span<const ApiInfo> all_apis() {
  static const std::vector<ApiInfo> list = make_list();
  return list;
}

const ApiInfo& info_of(Api api) {
  return all_apis()[static_cast<std::size_t>(api)];
}

const ApiInfo* find_api(Language language, std::string_view name) {
  const std::span<const ApiInfo> list = all_apis();
  const auto at = std::ranges::find_if(list, [&](const ApiInfo& info) {
    return !name.empty() && info.spelling(language).name == name;
  });
  return at == list.end() ? nullptr : &*at;
}

std::vector<std::string> api_names(Language language) {
  std::vector<std::string> names;
  for (const ApiInfo& info : all_apis()) {
    if (!info.spelling(language).name.empty()) {
      names.push_back(info.spelling(language).name);
    }
  }
  return names;
}

}  // namespace ws::lift::tile
