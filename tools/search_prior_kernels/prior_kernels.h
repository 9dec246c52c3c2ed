// The kernels that a search found, and their form on the wire. Everything in it that came from the
// archive is data: capped, without control characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search/search.h"
#include "runtime/archive/store/archive.h"
#include "tools/search_prior_kernels/sampling.h"
#include "tools/tool.h"

namespace ws {

/// The situation that the hits are told in.
struct HitContext {
  std::string device_id;   ///< "cuda:0": the device asked for; empty: it cannot be asked now.
  std::string device_key;  ///< Its DeviceInfo::key.
  std::string like_id;     ///< The kernel that hits are compared with; empty: none.
  std::string like_source;
  std::size_t words_asked = 0;  ///< In the query.
  bool full = false;            ///< detail: full
};

/// How a hit's source differs from that of the kernel it is compared with.
struct HitDiff {
  std::size_t added = 0;
  std::size_t removed = 0;
  std::string text;  ///< Where it is short.
  std::string uri;   ///< Where it is too long to show.
};

struct PriorKernel {
  SearchHit hit;
  std::string why;         ///< Why it was found: "the same problem; has the words tma, swizzle".
  std::string device;      ///< The id of the device asked for, or the key of another.
  bool elsewhere = false;  ///< It was judged on another device than the one asked for.
  std::int64_t age_s = 0;
  std::optional<std::string> finding;  ///< The reason, for one that failed.
  std::string labels;                  ///< May be empty.
  std::optional<HitDiff> diff;         ///< Where there is a kernel to compare with.
};

/// @errors kIo.
Result<PriorKernel> prior_kernel_of(Archive& archive, const SearchHit& hit,
                                    const HitContext& context);

/// The answer of search_prior_kernels.
struct PriorKernels {
  std::vector<PriorKernel> kernels;  ///< Best first.
  std::size_t unverified = 0;        ///< As of SearchResult.
  bool cut = false;                  ///< As of SearchResult.
  std::optional<SampledKind> sampled;
  std::string device_id;  ///< As of HitContext.
  bool full = false;      ///< detail: full
  /// The arguments of a search that also finds failures; null where that would find no more.
  Json with_failures;
};

/// The whole answer. The last hits are left out of a long one.
void to_json(Json& answer, const PriorKernels& found);

}  // namespace ws
