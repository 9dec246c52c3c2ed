// Translations with one mistake each: an edit of an example, the example that it is compared with,
// and the rule that the mistake breaks.
#pragma once

#include <span>

namespace ws::test {

struct PlantedTranslation {
  const char* translation;  ///< A file of examples/tiles, without .json.
  const char* original;
  const char* right;  ///< Once in the source.
  const char* wrong;
  const char* rule;
  const char* at = nullptr;  ///< Text in the line that is told, where `wrong` is not in it.
};

std::span<const PlantedTranslation> planted_translations();

}  // namespace ws::test
