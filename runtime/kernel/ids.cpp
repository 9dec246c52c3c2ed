#include "runtime/kernel/ids.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"

namespace ws {
namespace {

constexpr std::size_t kHashDigits = 32;  // 128 bits: nobody finds two texts with one id.

std::string unnamed_text(nlohmann::json form) {
  form.erase("name");
  return canonical_text(form);
}

}  // namespace

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

std::string content_hash(const nlohmann::json& form) {
  return sha256_hex(unnamed_text(form)).substr(0, kHashDigits);
}

std::string content_id(std::string_view prefix, std::string_view slug, const nlohmann::json& form) {
  std::string id(prefix);
  id += "_";
  id += slug;
  return id + "_" + content_hash(form);
}

bool same_content(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const nlohmann::json first = nlohmann::json::parse(a, nullptr, false);
  const nlohmann::json second = nlohmann::json::parse(b, nullptr, false);
  return first.is_object() && second.is_object() && unnamed_text(first) == unnamed_text(second);
}

std::string older_id(std::string_view id) {
  constexpr std::size_t kOlderDigits = 16;
  const std::size_t slug_end = id.find_last_of('_');
  const bool whole = slug_end != std::string_view::npos && id.size() - slug_end - 1 == kHashDigits;
  return whole ? std::string(id.substr(0, id.size() - kHashDigits + kOlderDigits)) : std::string();
}

bool same_name(std::string_view a, std::string_view b) {
  return a == b || (!b.empty() && older_id(a) == b) || (!a.empty() && older_id(b) == a);
}

}  // namespace ws
