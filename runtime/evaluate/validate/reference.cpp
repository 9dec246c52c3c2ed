#include "runtime/evaluate/validate/reference.h"

#include "runtime/base/keyed_stream.h"
#include "runtime/evaluate/validate/kernel_reference.h"
#include "runtime/reference/wire.h"

namespace ws {
namespace {

constexpr int kRedraws = 4;
/// Early and late completion: what a program gets wrong with nearly every schedule, two show.
constexpr std::size_t kReferenceSchedules = 2;
constexpr std::uint64_t kMaxHostBytes = std::uint64_t{4} << 30U;

class HostReference : public Reference {
 public:
  HostReference(ResolvedPlan plan, HostJob job, std::shared_ptr<Arena> arena,
                std::unique_ptr<HostSession> session)
      : plan_(std::move(plan)),
        job_(std::move(job)),
        arena_(std::move(arena)),
        session_(std::move(session)) {}

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t /*seed*/, std::chrono::milliseconds limit,
                  const std::stop_token& stop) override {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].role != BufferRole::kOut) {
        to_wire(plan_.buffers[i], arena_->buffer(i), job_.tensors[i], session_->arena().buffer(i));
      }
    }
    Ran ran;
    const auto start = Clock::now();
    WS_TRY(const HostReply reply, session_->run(limit, stop));
    ran.elapsed_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    ran.message = reply.message;
    if (!reply.findings.empty()) {
      const ProgramFinding& first = reply.findings.front();
      ran.message = first.kind + " at line " + std::to_string(first.line) + ": " + first.message;
    }
    for (std::size_t i = 0; ran.message.empty() && i < plan_.buffers.size(); ++i) {
      if (is_output(plan_.buffers[i])) {
        from_wire(job_.tensors[i], session_->arena().buffer(i), plan_.buffers[i],
                  arena_->buffer(i));
      }
    }
    return ran;
  }

 private:
  ResolvedPlan plan_;
  HostJob job_;
  std::shared_ptr<Arena> arena_;
  std::unique_ptr<HostSession> session_;
};

HostLanguage language_of(const Problem& problem) {
  return problem.reference_kind == "python" ? HostLanguage::kPython : HostLanguage::kCuir;
}

Result<OpenedReference> open_host_reference(HostWorkers& hosts, const Problem& problem,
                                            const Workload& workload, const std::stop_token& stop) {
  WS_TRY(HostJob job, host_job(problem, workload, language_of(problem), problem.reference_source));
  job.cuir.schedules = kReferenceSchedules;
  WS_TRY(ResolvedPlan plan, resolve_plan(problem, Kernel{}, workload, {}));
  WS_TRY(std::shared_ptr<Arena> arena, Arena::create(plan.buffers, kMaxHostBytes));
  WS_TRY(HostWorkers::Opened opened, hosts.open(job, stop));
  if (!opened.session) {
    return OpenedReference{
        nullptr, "the problem's reference cannot run: " + opened.refusal.message, {}};
  }
  return OpenedReference{
      std::make_unique<HostReference>(std::move(plan), std::move(job), std::move(arena),
                                      std::move(opened.session)),
      {},
      {}};
}

/// Why nothing can be judged by what the reference gave, and what to change; empty when it can.
struct Unusable {
  std::string reason;
  std::string hint;
};

SortedRows rows_of(const Reference& reference, const Problem& problem, std::size_t output) {
  return sorted_rows(problem, reference.plan().buffers, output, bytes_of(reference.arena()));
}

/// Whether all values that count are finite and in range.
bool is_in_range(const Reference& reference, const Problem& problem, std::size_t output) {
  const BufferSpec& buffer = reference.plan().buffers[output];
  const ArgSpec* const arg = problem.find_arg(buffer.name);
  if (arg == nullptr || !arg->unordered) {
    return examine_reference(buffer, reference.arena().buffer(output)).in_range;
  }
  return in_range(rows_of(reference, problem, output));
}

Unusable unusable(const Reference& reference, const MemoryGuard& guard, const Problem& problem,
                  const std::string& who) {
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!is_output(buffers[i])) {
      continue;
    }
    const ArgSpec* const arg = problem.find_arg(buffers[i].name);
    const bool any_order = arg != nullptr && arg->unordered;
    if (any_order && !arg->unordered->count.empty()) {
      const SortedRows rows = rows_of(reference, problem, i);
      if (!rows.fits()) {
        return {who + " gave " + std::to_string(rows.said) + " rows of `" + buffers[i].name +
                    "`, which has " + std::to_string(rows.room),
                {}};
      }
      if (guard.unwritten(i, rows.said)) {
        return {who + " left elements of `" + buffers[i].name + "` unwritten that `" +
                    arg->unordered->count + "` counts",
                {}};
      }
    } else if (guard.unwritten(i)) {
      return {who + " left elements of `" + buffers[i].name + "` unwritten", {}};
    }
    if (!is_in_range(reference, problem, i)) {
      const std::string inputs = drawn_inputs(problem);
      return {who + " gave values of `" + buffers[i].name + "` that are not finite or out of range",
              inputs.empty()
                  ? std::string()
                  : "; give " + inputs + " a `fill` or `domain` on which they are finite"};
    }
  }
  return {};
}

}  // namespace

std::string drawn_inputs(const Problem& problem) {
  std::string names;
  for (const ArgSpec& arg : problem.args) {
    if (takes_mixtures(arg)) {
      names += (names.empty() ? "`" : ", `") + arg.name + "`";
    }
  }
  return names;
}

Result<HostJob> host_job(const Problem& problem, const Workload& workload, HostLanguage language,
                         const std::string& source) {
  WS_TRY(const ResolvedPlan plan, resolve_plan(problem, Kernel{}, workload, {}));
  HostJob job;
  job.language = language;
  job.source = source;
  job.dims = workload.dims;
  for (const BufferSpec& buffer : plan.buffers) {
    job.tensors.push_back(host_tensor(buffer, language));
  }
  for (const ArgSpec& arg : problem.args) {
    const auto value = workload.scalars.find(arg.name);
    if (value != workload.scalars.end()) {
      job.scalars.push_back({arg.name, arg.type, value->second});
    }
  }
  return job;
}

Status check_host_reference(HostWorkers& hosts, const Problem& problem,
                            const std::stop_token& stop) {
  if (problem.reference_source.empty()) {
    return {};
  }
  WS_TRY(const std::vector<Workload> all, expand_workloads(problem));
  WS_TRY(const Workload workload, smallest_workload(problem, all));
  WS_TRY(HostJob job, host_job(problem, workload, language_of(problem), problem.reference_source));
  WS_TRY(const HostReply refusal, hosts.check(std::move(job), stop));
  if (refusal.ok()) {
    return {};
  }
  std::string text;
  for (const ProgramDiagnostic& row : refusal.diagnostics) {
    text += (text.empty() ? "" : "\n") + std::to_string(row.line) + ":" +
            std::to_string(row.column) + ": " + row.message + "\n" + row.snippet +
            (row.hint.empty() ? "" : "\nhint: " + row.hint);
  }
  return fail(ErrorCode::kInvalidArgument,
              "problem.reference.source: " + (text.empty() ? refusal.message : text), refusal.hint);
}

Result<OpenedReference> open_reference(Backend& backend, HostWorkers& hosts, const Problem& problem,
                                       const Workload& workload, const std::stop_token& stop) {
  if (!problem.reference) {
    return open_host_reference(hosts, problem, workload, stop);
  }
  WS_TRY(OpenedReference opened, open_own_kernel(backend, problem, workload, stop));
  if (!opened.reference) {
    opened.message = "the problem's reference does not compile: " + opened.message;
  }
  return opened;
}

Result<Drawn> draw(Reference& reference, const ErrorModel& error_model, const DrawRequest& request,
                   const std::stop_token& stop) {
  Drawn drawn;
  std::string hint;
  const double reduction = error_model.longest_reduction(reference.plan().buffers);
  for (int attempt = 0; attempt <= kRedraws; ++attempt) {
    drawn.seed = run_seed(request.secret, request.run, attempt);
    WS_CHECK(fill_inputs(error_model.problem(), reference.plan(), request.run.distribution,
                         drawn.seed, reduction, reference.arena()));
    request.on_inputs(reference);
    // Some of many small numbers equal a poison that looks like data.
    const MemoryGuard guard(reference.plan(), reference.arena(),
                            derive_seed(drawn.seed, "reference's memory"),
                            {.random_bits = attempt > 0});
    WS_TRY(const Reference::Ran ran, reference.run(drawn.seed, request.limit, stop));
    drawn.elapsed_us = ran.elapsed_us;
    if (!ran.message.empty()) {
      drawn.message = request.who + " went wrong: " + ran.message;
      return drawn;
    }
    if (const auto damage = guard.damage()) {
      drawn.message = request.who + " went wrong: " + damage->message;
      return drawn;
    }
    Unusable found = unusable(reference, guard, error_model.problem(), request.who);
    drawn.message = std::move(found.reason);
    if (drawn.message.empty()) {
      return drawn;
    }
    hint = std::move(found.hint);
  }
  drawn.message += " in " + std::to_string(kRedraws + 1) + " draws" + hint;
  return drawn;
}

}  // namespace ws
