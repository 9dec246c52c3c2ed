#include "tools/search_prior_kernels/search_prior_kernels.h"

#include <utility>

#include "runtime/search/fingerprint.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/words.h"
#include "tools/search_prior_kernels/search_prior_kernels_schema.h"

namespace ws {
namespace {

constexpr std::size_t kMaxQueryWords = 12;
constexpr std::size_t kMaxIdBytes = 129;

struct Question {
  SearchRequest request;
  HitContext context;
};

/// Not a source: no line of CUDA C++ is one word with such a beginning.
bool is_id_or_ref(const std::string& like) {
  return like.size() <= kMaxIdBytes && like.find_first_of(" \t\n;(){}") == std::string::npos &&
         (like.starts_with("krn_") || like.find('@') != std::string::npos);
}

Status add_like(Archive& archive, const std::string& like, Question& question) {
  std::string source = like;
  if (is_id_or_ref(like)) {
    WS_TRY(const KernelRow row, archive.kernel(like));
    source = kernel_source(row.json);
    question.request.exclude = question.context.like_id = row.id;
    question.context.like_source = source;
  }
  question.request.runs = token_runs(source);
  if (question.request.runs.empty()) {
    return fail(ErrorCode::kInvalidArgument, "`like` has no code",
                "give a kernel id, a ref, or device source");
  }
  return {};
}

/// A default device that cannot be asked now does not hinder reading: then no result counts more.
Status add_device(Services& services, const CommonParams& common, Question& question) {
  WS_TRY(Device* const device, services.device(common.device));
  const Result<DeviceInfo> info = device->backend->info();
  if (!info) {
    return common.device.empty() ? Status() : Status(fail(info.error()));
  }
  question.request.device = info->key();
  question.request.arch = info->arch;
  question.context.device_id = device->id;
  question.context.device_key = info->key();
  return {};
}

Result<Question> question_of(Services& services, const SearchParams& params) {
  Question question;
  SearchRequest& request = question.request;
  if (!params.problem_id && !params.query && !params.like) {
    return fail(ErrorCode::kInvalidArgument, "nothing to search by",
                "give `problem_id`, `query` or `like`, or several of them");
  }
  if (params.problem_id) {
    WS_TRY(const ProblemRow problem, services.archive->problem(*params.problem_id));
    request.problem_id = problem.id;
  }
  if (params.query) {
    request.words = words_of(*params.query, kMaxQueryWords);
    if (request.words.empty()) {
      return fail(ErrorCode::kInvalidArgument, "`query` has no words",
                  "give names, operations, identifiers or tags, with letters or digits");
    }
  }
  if (params.like) {
    WS_CHECK(add_like(*services.archive, *params.like, question));
  }
  WS_CHECK(add_device(services, params.common, question));
  request.failures = params.include_failures || params.sample_seed.has_value();
  request.limit = params.sample_seed ? kSampledFrom : params.limit;
  question.context.words_asked = request.words.size();
  question.context.full = params.common.full;
  return question;
}

/// The arguments of a search that also finds failures; null where it would find no more.
Json with_failures(const SearchParams& params, const SearchRequest& request) {
  if (request.failures || (!params.query && !params.problem_id)) {
    return nullptr;
  }
  Json again = params.without_like;
  again["include_failures"] = true;
  return again;
}

}  // namespace

void from_json(const Json& arguments, SearchParams& params) {
  const auto text = [&arguments](const char* field) {
    return arguments.contains(field) ? std::optional(arguments[field].get<std::string>())
                                     : std::nullopt;
  };
  params.common = common_params(arguments);
  params.problem_id = text("problem_id");
  params.query = text("query");
  params.like = text("like");
  params.include_failures = arguments.value("include_failures", params.include_failures);
  params.limit = arguments.value("limit", params.limit);
  if (arguments.contains("sample_seed")) {
    params.sample_seed = arguments["sample_seed"].get<std::uint64_t>();
  }
  params.without_like = arguments;
  params.without_like.erase("like");
}

SearchPriorKernelsTool::SearchPriorKernelsTool(Services& services)
    : TypedTool(search_prior_kernels_schema()),
      services_(services) {}

Result<PriorKernels> SearchPriorKernelsTool::run(const SearchParams& params,
                                                 CallContext& /*context*/) {
  WS_TRY(const Question question, question_of(services_, params));
  WS_TRY(SearchResult result, services_.archive->search(question.request));
  PriorKernels found;
  if (params.sample_seed) {
    found.sampled = sampled_kind(*params.sample_seed);
    result.hits = sampled(std::move(result.hits), *params.sample_seed, params.limit);
  }
  for (const SearchHit& hit : result.hits) {
    WS_TRY(PriorKernel kernel, prior_kernel_of(*services_.archive, hit, question.context));
    found.kernels.push_back(std::move(kernel));
  }
  found.unverified = result.unverified;
  found.cut = result.cut;
  found.device_id = question.context.device_id;
  found.full = params.common.full;
  found.with_failures = with_failures(params, question.request);
  return found;
}

}  // namespace ws
