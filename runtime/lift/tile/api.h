// The calls of kernels of tiles, as api.def lists them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel/language.h"

namespace ws::lift::tile {

enum class Api : std::uint8_t {
#define WS_TILE_API(id, group, cuir, triton, cutile, cutile_jl) id,
#include "runtime/lift/tile/api.def"
#undef WS_TILE_API
};

enum class ApiGroup : std::uint8_t {
  kGrid,
  kMake,
  kMemory,
  kShape,
  kType,
  kUnary,     // One tile, by a function of CuIR.
  kBinary,    // Two, likewise.
  kOperator,  // Two, by an operator.
  kElements,  // Others element by element.
  kReduce,
  kScan,
  kProduct,
  kRandom,
  kRange,
  kIdentity,  // The first argument, as it is.
  kNothing,   // Left out.
};

/// How a language spells it.
struct Spelling {
  std::string name;  ///< Empty: the language has none.
  std::vector<std::string> parameters;
  bool repeated = false;  ///< One parameter, `repeated_at`, takes any number of arguments.
  std::size_t repeated_at = 0;

  /// "load(pointer, mask)".
  [[nodiscard]] std::string text() const;
};

struct ApiInfo {
  Api api;
  ApiGroup group;
  std::string_view cuir;
  Spelling triton;
  Spelling cutile;
  Spelling cutile_jl;

  [[nodiscard]] const Spelling& spelling(Language language) const;
};

/// Every row, in the order of the list. Any thread.
std::span<const ApiInfo> all_apis();
const ApiInfo& info_of(Api api);

/// By its name in a language, without the module. Null: there is none.
const ApiInfo* find_api(Language language, std::string_view name);

/// All names of a language, for suggestions.
std::vector<std::string> api_names(Language language);

}  // namespace ws::lift::tile
