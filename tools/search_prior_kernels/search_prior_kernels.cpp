#include "tools/search_prior_kernels/search_prior_kernels.h"

#include <utility>

#include "runtime/search/fingerprint.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/words.h"
#include "tools/answer/envelope.h"
#include "tools/answer/next_steps.h"
#include "tools/search_prior_kernels/hit_forms.h"
#include "tools/search_prior_kernels/sampling.h"
#include "tools/search_prior_kernels/search_prior_kernels_schema.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

constexpr std::size_t kMaxQueryWords = 12;
constexpr std::size_t kMaxIdBytes = 129;

struct Question {
  SearchRequest request;
  HitContext context;
  std::optional<std::uint64_t> seed;  ///< Of a draw.
  std::size_t limit = 5;
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

/// Judged on another device than the one asked for.
bool is_elsewhere(const SearchHit& hit, const Question& question) {
  return !question.context.device_key.empty() && hit.device != question.context.device_key;
}

Result<Question> question_of(Services& services, const Json& arguments) {
  const CommonParams common = common_params(arguments);
  Question question;
  SearchRequest& request = question.request;
  if (!arguments.contains("problem_id") && !arguments.contains("query") &&
      !arguments.contains("like")) {
    return fail(ErrorCode::kInvalidArgument, "nothing to search by",
                "give `problem_id`, `query` or `like`, or several of them");
  }
  if (arguments.contains("problem_id")) {
    WS_TRY(const ProblemRow problem, services.archive->problem(arguments["problem_id"]));
    request.problem_id = problem.id;
  }
  if (arguments.contains("query")) {
    request.words = words_of(arguments["query"].get<std::string>(), kMaxQueryWords);
    if (request.words.empty()) {
      return fail(ErrorCode::kInvalidArgument, "`query` has no words",
                  "give names, operations, identifiers or tags, with letters or digits");
    }
  }
  if (arguments.contains("like")) {
    WS_CHECK(add_like(*services.archive, arguments["like"], question));
  }
  WS_CHECK(add_device(services, common, question));
  question.limit = arguments.value("limit", question.limit);
  request.failures = arguments.value("include_failures", false);
  request.limit = question.limit;
  if (arguments.contains("sample_seed")) {
    question.seed = arguments["sample_seed"].get<std::uint64_t>();
    request.failures = true;
    request.limit = kSampledFrom;
  }
  question.context.words_asked = request.words.size();
  question.context.full = common.full;
  return question;
}

std::string summary_of(const SearchResult& result, const Question& question) {
  const std::size_t count = result.hits.size();
  std::string text = count == 0
                         ? "no kernel that was judged here fits"
                         : std::to_string(count) + (count == 1 ? " kernel fits" : " kernels fit");
  if (count > 0) {
    const SearchHit& best = result.hits.front();
    text += ", first " + best.kernel_id + ": " + best.verdict;
    if (best.ratio) {
      text += ", " + Json(*best.ratio).dump() + "x against " + best.against;
    }
    if (is_elsewhere(best, question)) {
      text += " on another device";
    }
  }
  if (result.unverified > 0) {
    text += "; " + std::to_string(result.unverified) + " more were never judged here";
  }
  return text;
}

std::vector<Json> steps_after(const SearchResult& result, const Json& arguments,
                              const Question& question) {
  if (result.hits.empty()) {
    if (question.request.failures) {
      return {advice("write the first one, and send it to compile_kernel")};
    }
    Json again = arguments;
    again.erase("like");
    if (again.contains("query") || again.contains("problem_id")) {
      again["include_failures"] = true;
      return {next_step("search_prior_kernels", std::move(again), "see what was tried and failed")};
    }
    return {advice("write the first one, and send it to compile_kernel")};
  }
  const SearchHit& best = result.hits.front();
  if (best.passed && is_elsewhere(best, question)) {
    return {next_step("validate",
                      {{"kernel_id", best.kernel_id}, {"device", question.context.device_id}},
                      "see whether it is right on this device")};
  }
  return {edit_step("evaluate", best.kernel_id, best.passed ? "change it" : "mend it")};
}

}  // namespace

SearchPriorKernelsTool::SearchPriorKernelsTool(Services& services)
    : spec_(parse_spec(search_prior_kernels_schema())),
      services_(services) {}

Result<Json> SearchPriorKernelsTool::call(const Json& arguments, CallContext& /*context*/) {
  return guarded([&]() -> Result<Json> {
    WS_TRY(const Question question, question_of(services_, arguments));
    WS_TRY(SearchResult result, services_.archive->search(question.request));
    if (question.seed) {
      result.hits = sampled(std::move(result.hits), *question.seed, question.limit);
    }
    WS_TRY(HitForms forms, hit_forms(*services_.archive, result.hits, question.context));
    Json body = {{"hits", std::move(forms.hits)},
                 {"links", std::move(forms.links)},
                 {"unverified", result.unverified},
                 {"more", result.cut || forms.left_out > 0}};
    if (question.seed) {
      body["sampled"] = sampled_kind(*question.seed);
    }
    return finished(summary_of(result, question), std::move(body),
                    steps_after(result, arguments, question));
  });
}

}  // namespace ws
