// The facts that the search index keeps about a kernel, computed from its row alone: a caller
// computes them before it takes the write lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/search/fingerprint.h"

namespace ws::store {

struct CodeTraits {
  std::int64_t hash = 0;  ///< runs_hash().
  Signature signature{};
};

struct KernelTraits {
  std::string words;               ///< Its own: of names, entries and source.
  std::optional<CodeTraits> code;  ///< Nothing of a source without a token.
};

KernelTraits traits_of(const KernelRow& kernel);

/// Only the words. What an archive holds was made by this function: one that gives other words for
/// the same kernel needs a new version of the archive, whose migration rebuilds the index.
std::string own_words(const KernelRow& kernel);

/// Words of a text, as they are indexed; at most 400.
std::string indexed_text(const std::string& text);

/// object[key]; empty where it is no text or not there.
std::string text_field(const nlohmann::json& object, const char* key);

}  // namespace ws::store
