#include "runtime/evaluate/validate/sanitized_check.h"

#include <algorithm>

#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"

namespace ws {
namespace {

using Kind = SanitizerRecord::Kind;

constexpr std::chrono::milliseconds kToolLimit{60'000};

std::string text_of(const SanitizerPlace& place) {
  return place.file.empty() ? "an unknown line" : place.file + ":" + std::to_string(place.line);
}

std::string who(const SanitizerRecord& record) {
  return record.thread && record.block ? " by thread " + text_of_triple(*record.thread) +
                                             " of block " + text_of_triple(*record.block)
                                       : "";
}

std::string accesses(std::string_view access) {
  return access == "write" ? "writes" : "reads";
}

/// "out-of-bounds write of 4 bytes at source:3 by thread (1,0,0) of block (0,0,0)"
std::string access_text(std::string_view what, const SanitizerRecord& record) {
  return std::string(what) + " " + (record.access.empty() ? "access" : record.access) + " of " +
         std::to_string(record.access_bytes) + " bytes" +
         (record.space.empty() ? "" : " of " + record.space + " memory") + " at " +
         text_of(record.at) + who(record);
}

std::string race_text(const SanitizerRecord& record) {
  const SanitizerPlace second = record.other.value_or(record.at);
  return "`" + record.entry + "` " + accesses(record.access) + " shared memory at " +
         text_of(record.at) + " and another thread " + accesses(record.other_access) + " it at " +
         text_of(second) + ", with no barrier between them (" + std::to_string(record.count) +
         " times)";
}

/// Names the buffer's element; false where the record is about no buffer.
bool add_element(const SanitizerRecord& record, const ResolvedPlan& plan, Fault& fault) {
  if (!record.buffer || *record.buffer >= plan.buffers.size()) {
    return false;
  }
  const BufferSpec& buffer = plan.buffers[*record.buffer];
  const auto bytes = static_cast<std::int64_t>(size_of(buffer.type));
  const std::int64_t index =
      record.offset >= 0 ? record.offset / bytes : -((-record.offset + bytes - 1) / bytes);
  fault.buffer = buffer.name;
  fault.index = index;
  fault.message += ": " + buffer.name + "[" + std::to_string(index) + "]";
  return true;
}

/// The verdict, the kind and the sentence of each kind of record.
void describe_kind(const SanitizerRecord& record, const ResolvedPlan& plan, Fault& fault) {
  switch (record.kind) {
    case Kind::kOutOfBounds:
      fault.verdict = Verdict::kOutOfBounds;
      fault.kind = (record.access == "write" ? "write" : "read") + std::string("_out_of_bounds");
      fault.message = access_text("out-of-bounds", record);
      if (add_element(record, plan, fault)) {
        fault.message +=
            ", but it has " + std::to_string(plan.buffers[*record.buffer].span) + " elements";
      }
      return;
    case Kind::kMisaligned:
      fault.verdict = Verdict::kRuntimeError;
      fault.kind = "misaligned_address";
      fault.message = access_text("misaligned", record);
      add_element(record, plan, fault);
      return;
    case Kind::kRace:
      fault.verdict = Verdict::kDataRace;
      fault.kind = name_of(fault.verdict);
      fault.message = race_text(record);
      return;
    case Kind::kUninitialised:
      fault.verdict = Verdict::kUninitialisedRead;
      fault.kind = name_of(fault.verdict);
      fault.message = access_text("uninitialised", record);
      if (add_element(record, plan, fault)) {
        fault.message += ", which nobody wrote before";
      }
      return;
    case Kind::kDivergentBarrier:
      fault.verdict = Verdict::kBarrierDivergence;
      fault.kind = name_of(fault.verdict);
      fault.message = "not all threads that must wait at the barrier at " + text_of(record.at) +
                      " reach it together" + (who(record).empty() ? "" : "; seen" + who(record));
      return;
    case Kind::kOther:
      fault.verdict = Verdict::kSanitizer;
      fault.kind = name_of(record.tool);
      fault.message = record.text + " at " + text_of(record.at) + who(record);
      return;
  }
}

/// One workload's plan and arena, ready for every tool.
struct SanitizedSubject {
  Compiled compiled;
  RunPlan plan;
  std::shared_ptr<Arena> arena;
};

/// Without a plan where the kernel cannot run on the workload: the plain runs say why.
Result<SanitizedSubject> make_ready(Backend& backend, const Subject& subject,
                                    const Workload& workload, const Params& params,
                                    std::uint64_t secret, const std::stop_token& stop) {
  SanitizedSubject ready;
  WS_TRY(ready.compiled,
         compile_for(backend, subject.problem, subject.kernel, workload, params, {}, stop));
  if (!ready.compiled.ok()) {
    return ready;
  }
  WS_TRY(const DeviceInfo device, backend.info());
  WS_TRY(ready.arena, Arena::create(ready.compiled.plan.buffers, device.limits.max_buffer_bytes));
  WS_CHECK(fill_inputs(subject.problem, ready.compiled.plan, Distribution::kDeclared, secret, 1,
                       *ready.arena));
  WS_TRY(ready.plan, bind_plan(ready.compiled.plan, ready.compiled.image(), *ready.arena));
  return ready;
}

bool is_known(const std::vector<SanitizerFinding>& findings, const SanitizerFinding& finding) {
  return std::ranges::any_of(findings, [&](const SanitizerFinding& each) {
    return each.tool == finding.tool && each.fault.kind == finding.fault.kind &&
           each.fault.file == finding.fault.file && each.fault.line == finding.fault.line &&
           each.other.has_value() == finding.other.has_value() &&
           (!each.other || each.other->line == finding.other->line);
  });
}

}  // namespace

Result<Sanitizes*> sanitizer_of(Backend& backend, const std::string& device) {
  auto* const sanitizer = dynamic_cast<Sanitizes*>(&backend);
  if (sanitizer == nullptr) {
    return fail(ErrorCode::kUnsupported,
                "level `sanitize` needs a sanitizer, and " + device + " has none",
                "use level `standard` there, and `sanitize` on cpu:0 or an NVIDIA GPU");
  }
  if (std::optional<Error> refusal = sanitizer->no_sanitizer()) {
    return fail(*std::move(refusal));
  }
  return sanitizer;
}

SanitizerFinding describe(const SanitizerRecord& record, const ResolvedPlan& plan) {
  SanitizerFinding finding{
      .tool = record.tool, .fault = {}, .other = record.other, .count = record.count};
  Fault& fault = finding.fault;
  fault.access = record.access == "read" || record.access == "write" ? record.access : "";
  fault.file = record.at.file;
  fault.line = record.at.line;
  fault.block = record.block;
  fault.thread = record.thread;
  describe_kind(record, plan, fault);
  return finding;
}

Result<SanitizerResult> sanitize_kernel(Backend& backend, Sanitizes& sanitizer,
                                        const Subject& subject,
                                        const std::vector<Workload>& workloads,
                                        const Params& params, std::uint64_t secret,
                                        const CallContext& context) {
  std::vector<SanitizedSubject> ready;
  for (const Workload& workload : workloads) {
    WS_TRY(SanitizedSubject one,
           make_ready(backend, subject, workload, params, secret, context.stop));
    if (one.compiled.ok()) {
      ready.push_back(std::move(one));
    }
  }
  SanitizerResult result;
  for (std::size_t i = 0; i < kSanitizerTools.size(); ++i) {
    const SanitizerTool tool = kSanitizerTools.at(i);
    context.report(static_cast<double>(i) / kSanitizerTools.size(),
                   "running " + std::string(name_of(tool)));
    bool clean = true;
    for (const SanitizedSubject& one : ready) {
      const auto records = sanitizer.sanitize(one.compiled.image(), one.plan, one.arena, tool,
                                              kToolLimit, context.stop);
      if (!records && records.error().code == ErrorCode::kTimeout) {
        result.skipped.push_back(records.error().message);
        clean = false;
        break;
      }
      WS_CHECK(records);
      clean = clean && records->empty();
      for (const SanitizerRecord& record : *records) {
        SanitizerFinding finding = describe(record, one.compiled.plan);
        if (!is_known(result.findings, finding)) {
          result.findings.push_back(std::move(finding));
        }
      }
    }
    if (clean) {
      result.clean.push_back(tool);
    }
  }
  return result;
}

}  // namespace ws
