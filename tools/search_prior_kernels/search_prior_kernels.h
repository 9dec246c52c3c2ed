// search_prior_kernels: the archive's knowledge of kernels like the one to be made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/search_prior_kernels/prior_kernels.h"
#include "tools/typed_tool.h"

namespace ws {

/// The arguments of `search_prior_kernels`.
struct SearchParams {
  CommonParams common;
  std::optional<std::string> problem_id;
  std::optional<std::string> query;
  std::optional<std::string> like;  ///< A kernel id, a ref, or source.
  bool include_failures = false;
  std::size_t limit = 5;
  std::optional<std::uint64_t> sample_seed;  ///< Draws instead of ranking.
  Json without_like;                         ///< The arguments as sent, but for `like`.
};

void from_json(const Json& arguments, SearchParams& params);

/// Answers at once: a search takes milliseconds, so there is no job.
class SearchPriorKernelsTool : public TypedTool<SearchParams, PriorKernels> {
 public:
  explicit SearchPriorKernelsTool(Services& services);

 protected:
  Result<PriorKernels> run(const SearchParams& params, CallContext& context) override;

 private:
  Services& services_;
};

}  // namespace ws
