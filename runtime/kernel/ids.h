// Names of immutable things: prb_<name>_<hash> and krn_<name>_<hash>.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// `name` in [a-z0-9_]{1,40}: lower case, every other run of characters one underscore, none at the
/// ends; `fallback` when nothing is left.
std::string slug(std::string_view name, std::string_view fallback);

/// "<prefix>_<slug>_<hash>", the hash being the first 16 hex digits of SHA-256 over the compact
/// key-sorted JSON of `form` without its `name`.
std::string content_id(std::string_view prefix, std::string_view slug, const nlohmann::json& form);

/// Compact text with sorted keys, as it is hashed and stored.
std::string canonical_text(const nlohmann::json& form);

}  // namespace ws
