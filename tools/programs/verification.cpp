#include "tools/programs/verification.h"

#include <algorithm>
#include <functional>
#include <map>

#include "runtime/base/hash.h"
#include "runtime/kernel/language.h"
#include "tools/programs/program_run.h"
#include "tools/programs/workloads.h"

namespace ws {
namespace {

/// Whether a run says nothing about the program but that it is large.
bool is_too_large(const Verification& result) {
  if (result.end == ProgramEnd::kFinding) {
    return std::ranges::all_of(result.reply.findings, [](const ProgramFinding& finding) {
      return finding.kind == "executor_limit" || finding.kind == "step_budget";
    });
  }
  return result.end == ProgramEnd::kVerdict &&
         (result.verdict == Verdict::kTimeout || result.verdict == Verdict::kResourceLimit ||
          result.verdict == Verdict::kInvalidReference);
}

/// The runs of a program on all workloads.
class Verifications {
 public:
  using RunOnce = std::function<Result<Verification>(const VerifyRequest&)>;

  Verifications(RunOnce run_once, const VerifyRequest& request, const CallContext& context)
      : run_once_(std::move(run_once)),
        request_(request),
        context_(context) {}

  Result<Verification> run() {
    VerifyRequest first = request_;
    std::optional<Workload> shrunk_from;
    if (request_.problem && !request_.workload) {
      WS_TRY(const Shrunk small, small_workload(*request_.problem, kernel()));
      first.workload = small.workload;
      shrunk_from = small.from;
    }
    context_.report(0, "running " + std::to_string(request_.schedules) + " schedules");
    WS_TRY(Verification result, run_and_count(first));
    result.shrunk_from = shrunk_from;
    if (result.ok() && takes_other_workloads()) {
      WS_TRY(result, run_others(std::move(result)));
    }
    for (const auto& [line, rounds] : rounds_) {
      result.loops.push_back({line, rounds});
    }
    return result;
  }

 private:
  [[nodiscard]] Kernel kernel() const { return request_.kernel.value_or(Kernel{}); }

  /// A kernel of tiles is lifted to a program of one workload.
  [[nodiscard]] bool takes_other_workloads() const {
    return request_.problem && !request_.workload && !is_tile_language(kernel().language);
  }

  /// Counts the rounds of loops, too.
  Result<Verification> run_and_count(const VerifyRequest& request) {
    WS_TRY(Verification result, run_once_(request));
    for (const ProgramLoop& loop : result.reply.loops) {
      rounds_[loop.line] = std::max(rounds_[loop.line], loop.rounds);
    }
    return result;
  }

  /// @param first  What the small workload gave, which is ok. @return The same, or what is wrong on
  /// another one.
  Result<Verification> run_others(Verification first) {
    WS_TRY(const std::vector<Workload> all,
           other_workloads(*request_.problem, kernel(), *first.workload, request_.seed));
    for (std::size_t i = 0; i < all.size(); ++i) {
      context_.report(static_cast<double>(i + 1) / static_cast<double>(all.size() + 1),
                      "running it on " + to_json_text(all[i]));
      WS_TRY(Verification result, run_without_and_with_values(all[i]));
      if (is_too_large(result)) {
        ++first.not_judged;
      } else if (result.ok()) {
        first.others.push_back(all[i]);
      } else {
        result.others = std::move(first.others);
        result.not_judged = first.not_judged;
        result.reply.change = std::move(first.reply.change);
        return result;
      }
    }
    return first;
  }

  Result<Verification> run_without_and_with_values(const Workload& workload) {
    VerifyRequest request = request_;
    request.workload = workload;
    request.made_from.clear();  // The first run compares the two.
    request.mode = "race_only";
    WS_TRY(Verification result, run_and_count(request));
    if (result.ok() && request_.mode != request.mode) {
      request.mode = request_.mode;
      request.schedules = 1;
      WS_TRY(result, run_and_count(request));
    }
    return result;
  }

  const RunOnce run_once_;
  const VerifyRequest& request_;
  const CallContext& context_;
  std::map<std::int64_t, std::int64_t> rounds_;  // The most of each loop, by its line.
};

}  // namespace

std::uint64_t random_seed() {
  constexpr std::uint64_t kExact = (std::uint64_t{1} << 53U) - 1;
  return random_u64() & kExact;
}

std::string Verification::word() const {
  switch (end) {
    case ProgramEnd::kOk:
      return "ok";
    case ProgramEnd::kSyntaxError:
      return "syntax_error";
    case ProgramEnd::kCheckError:
      return "check_error";
    case ProgramEnd::kFinding:
      return reply.findings.front().kind;
    case ProgramEnd::kVerdict:
      break;
  }
  return std::string(name_of(verdict));
}

Result<Verification> verify_program(Services& services, Device& device,
                                    const VerifyRequest& request, const CallContext& context) {
  const auto once = [&](const VerifyRequest& one) {
    return run_once(services, device, one, context);
  };
  return Verifications(once, request, context).run();
}

}  // namespace ws
