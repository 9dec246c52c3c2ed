// Hits as a client sees them. Everything in them that came from the archive is data: capped,
// without control characters.
#pragma once

#include <string>
#include <vector>

#include "runtime/archive/search/search.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// What the hits are told for.
struct HitContext {
  std::string device_id;        ///< "cuda:0": the device asked for; empty: it cannot be asked now.
  std::string device_key;       ///< Its DeviceInfo::key.
  std::string like_id;          ///< The kernel that hits are compared with; empty: none.
  std::string like_source;      ///< Its source.
  std::size_t words_asked = 0;  ///< In the query.
  bool full = false;            ///< detail: full
};

struct HitForms {
  Json hits = Json::array();   ///< In the order given; the last ones are left out of a long result.
  Json links = Json::array();  ///< To the best one's source, and to diffs too long to show.
  std::size_t left_out = 0;
};

/// Why it was found: "the same problem; has the words tma, swizzle".
std::string why_of(const SearchHit& hit, std::size_t words_asked);

/// {kernel_id, problem_id, score, why, verdict, ratio, against, device, age_s}, where they are
/// known: finding, labels, duplicates, diff {added, removed, text}. @errors kIo.
Result<HitForms> hit_forms(Archive& archive, const std::vector<SearchHit>& hits,
                           const HitContext& context);

}  // namespace ws
