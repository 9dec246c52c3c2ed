#include "runtime/kernel/ids.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"

namespace ws {

std::string slug(std::string_view name, std::string_view fallback) {
  constexpr std::size_t kMaxLength = 40;
  std::string result;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept) {
      result += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  result.resize(std::min(result.size(), kMaxLength));
  while (!result.empty() && result.back() == '_') {
    result.pop_back();
  }
  return result.empty() ? std::string(fallback) : result;
}

std::string canonical_text(const nlohmann::json& form) {
  // Texts that are no UTF-8 never come in through JSON; replacing them here keeps dump from
  // throwing.
  return form.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string content_id(std::string_view prefix, std::string_view slug, const nlohmann::json& form) {
  nlohmann::json unnamed = form;
  unnamed.erase("name");
  std::string id(prefix);
  id += "_";
  id += slug;
  return id + "_" + short_hash(canonical_text(unnamed));
}

}  // namespace ws
