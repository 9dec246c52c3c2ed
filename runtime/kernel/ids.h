// Names of immutable things: prb_<name>_<hash> and krn_<name>_<hash>.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// `name` in [a-z0-9_]{1,40}: lower case, every other run of characters one underscore, none at the
/// ends; `fallback` when nothing is left.
std::string slug(std::string_view name, std::string_view fallback);

/// The first 32 hex digits of SHA-256 over the compact key-sorted JSON of `form` without its
/// `name`.
std::string content_hash(const nlohmann::json& form);

/// "<prefix>_<slug>_<hash>", the hash being content_hash(form).
std::string content_id(std::string_view prefix, std::string_view slug, const nlohmann::json& form);

/// Compact text with sorted keys, as it is hashed and stored.
std::string canonical_text(const nlohmann::json& form);

/// Whether two stored forms are the same but for their names. Texts that are no JSON must be equal.
bool same_content(std::string_view a, std::string_view b);

/// The name of the same content in archives that kept 16 digits of the hash; empty where `id` has
/// not 32 digits.
std::string older_id(std::string_view id);

/// Whether both are names of the same content: equal, or one the older one of the other.
bool same_name(std::string_view a, std::string_view b);

}  // namespace ws
