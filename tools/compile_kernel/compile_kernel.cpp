#include "tools/compile_kernel/compile_kernel.h"

#include "runtime/base/clock.h"
#include "runtime/compile/sass.h"
#include "runtime/device/cuda/arch.h"
#include "runtime/kernel/plan/params.h"
#include "tools/answer/envelope.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/compile_kernel/compile_kernel_schema.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/kernels/kernel_views.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

Json known(std::int64_t number) {
  return number < 0 ? Json(nullptr) : Json(number);
}

/// Of the first launch of the entry; null: unknown, or it is not launched.
Json occupancy_of(const CompiledEntry& entry, const ResolvedPlan& plan, const std::string& arch) {
  const cuda::ArchSpec* spec = cuda::find_arch(arch);
  for (const LaunchStep& step : plan.steps) {
    if (spec != nullptr && step.entry == entry.name) {
      const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
      const auto share = cuda::occupancy(*spec, entry, threads, step.shared_bytes);
      return share ? Json(rounded(*share)) : Json(nullptr);
    }
  }
  return nullptr;
}

Json entries_of(const Compiled& compiled, const DeviceInfo& device) {
  Json rows = Json::array();
  for (const CompiledEntry& entry : compiled.image().entries) {
    rows.push_back({{"entry", entry.name},
                    {"registers", known(entry.registers)},  // The CPU engine has none to count.
                    {"shared_bytes", entry.shared_bytes},
                    {"local_bytes", known(entry.local_bytes)},
                    {"max_threads", entry.max_threads < 0 ? device.limits.max_threads_per_block
                                                          : entry.max_threads},
                    {"occupancy", occupancy_of(entry, compiled.plan, device.arch)}});
    if (entry.spill_bytes > 0) {
      rows.back()["spill_bytes"] = entry.spill_bytes;
    }
  }
  return rows;
}

/// A verdict that the compiler itself has no diagnostic for: the plan does not fit.
Json diagnostics_of(const Compiled& compiled) {
  Json rows = Json::array();
  for (const Diagnostic& diagnostic : compiled.reply.outcome->diagnostics) {
    rows.push_back(to_json(diagnostic));
  }
  const bool explained = compiled.reply.outcome->verdict != CompileVerdict::kCompiled;
  if (!compiled.ok() && (!explained || rows.empty())) {
    const Json reason = {{"severity", "error"},
                         {"message", quoted(compiled.message)},
                         {"region", explained ? "source" : "plan"}};
    rows.insert(rows.begin(), reason);
    if (rows.size() > kMaxDiagnostics) {
      rows.erase(rows.size() - 1);  // A warning: errors come first, and there are none here.
    }
  }
  return rows;
}

std::string log_text(const CompileOutcome& outcome) {
  std::string text = outcome.log;
  if (!text.empty()) {
    return text;
  }
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    text += diagnostic.region + ":" + std::to_string(diagnostic.line) + ":" +
            std::to_string(diagnostic.column) + ": " + diagnostic.severity + ": " +
            diagnostic.message + "\n" + diagnostic.snippet + "\n";
  }
  return text;
}

std::string summary_of(const Subject& subject, const Compiled& compiled, const Json& diagnostics) {
  const std::string name = subject.kernel.id;
  if (compiled.ok()) {
    return name + " compiled (" + std::string(name_of(compiled.reply.cache)) + ", " +
           std::to_string(std::lround(compiled.reply.outcome->compile_ms)) + " ms)";
  }
  std::string place;
  if (!diagnostics.empty() && diagnostics[0].contains("line")) {
    place =
        diagnostics[0]["region"].get<std::string>() + ":" + diagnostics[0]["line"].dump() + ": ";
  }
  return name + ": " + verdict_text(compiled.verdict, place + quoted(compiled.message, 200));
}

std::vector<Json> steps_after(const Subject& subject, Verdict verdict) {
  if (verdict == Verdict::kCompiled) {
    return {next_step("validate", {{"kernel_id", subject.kernel.id}},
                      "check the results against the reference")};
  }
  if (verdict == Verdict::kUnsupported) {
    return {next_step("list_devices", Json::object(), "see what kernels can be compiled for")};
  }
  return {
      edit_step("compile_kernel", subject.kernel.id, "mend the lines that the diagnostics name")};
}

/// Of machine code on request, where it can be read; else as the compiler counted: in PTX for
/// NVIDIA GPUs.
void add_instructions(const Services& services, const Compiled& compiled, bool full, Json& body) {
  body["instructions"] = compiled.reply.outcome->instructions;
  if (compiled.reply.outcome->ptx.empty()) {
    return;
  }
  body["instructions_from"] = "ptx";
  const Result<std::string> sass =
      full ? sass_of(services, compiled.image()) : Result<std::string>(std::string());
  if (sass && !sass->empty()) {
    body["instructions"] = count_sass(*sass);
    body["instructions_from"] = "sass";
  }
}

/// Of PTX and machine code: this very compile's.
void add_views(const std::string& evidence_id, const std::string& kernel_id, Json& links) {
  for (const char* view : {"ptx", "sass"}) {
    links.push_back({{"rel", view},
                     {"uri", "kernel://" + kernel_id + "/" + view + "?evidence=" + evidence_id}});
  }
}

}  // namespace

CompileKernelTool::CompileKernelTool(Services& services)
    : spec_(parse_spec(compile_kernel_schema())),
      services_(services) {}

Result<std::string> CompileKernelTool::record(const Subject& subject, const DeviceInfo& device,
                                              const Json& body, const Params& params,
                                              const CompileOutcome& outcome) {
  const std::string key = "params=" + to_json(params).dump();
  const std::string verdict = body["verdict"];
  WS_TRY(const auto known, services_.archive->latest_evidence(subject.kernel.id, device.key(),
                                                              "compile", key, verdict));
  if (known) {
    return known->id;  // The same question with the same answer: nothing new to keep.
  }
  const auto add = [&](const char* kind, const Json& json) {
    return services_.archive->add_evidence(
        {.id = {},
         .kernel_id = subject.kernel.id,
         .problem_id = subject.problem.id,
         .device = device.key(),
         .kind = kind,
         .key = key,
         .verdict = verdict,
         .json = json.dump(-1, ' ', false, Json::error_handler_t::replace),
         .created_at = {}});
  };
  if (!outcome.ptx.empty()) {  // Apart: it may be large.
    WS_CHECK(
        add("ptx", {{"ptx", outcome.ptx}, {"arch", device.arch}, {"params", to_json(params)}}));
  }
  return add("compile", {{"output", body},
                         {"params", to_json(params)},
                         {"log", log_text(outcome)},
                         {"at", timestamp_now()}});
}

Result<Json> CompileKernelTool::compile(const Subject& subject, Device& device,
                                        const Json& arguments, const CommonParams& common,
                                        const std::stop_token& stop) {
  WS_TRY(Backend* const backend, services_.compiler_for(device, arguments.value("arch", "")));
  WS_TRY(const DeviceInfo info, backend->info());
  WS_TRY(const Params params, requested_params(subject.kernel, arguments));
  WS_TRY(const Workload workload, compile_workload(subject, params));
  WS_TRY(const Compiled compiled,
         compile_for(*backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kFast, .fresh = common.fresh}, stop));
  const CompileOutcome& outcome = *compiled.reply.outcome;
  const Json diagnostics = diagnostics_of(compiled);
  const bool fits = compiled.ok() || outcome.verdict != CompileVerdict::kCompiled;
  const int total = outcome.diagnostics_total + (fits ? 0 : 1);
  Json body = {{"verdict", name_of(compiled.verdict)},
               {"problem_id", subject.problem.id},
               {"kernel_id", subject.kernel.id},
               {"entries", entries_of(compiled, info)},
               {"diagnostics", diagnostics},
               {"diagnostics_total",
                std::max<std::size_t>(static_cast<std::size_t>(total), diagnostics.size())},
               {"emulated", info.emulated}};
  add_instructions(services_, compiled, common.full, body);
  if (!subject.kernel.parent.empty()) {
    body["parent"] = subject.kernel.parent;
  }
  WS_TRY(body["evidence_id"], record(subject, info, body, params, outcome));
  body["cache"] = name_of(compiled.reply.cache);
  body["compile_ms"] = rounded(outcome.compile_ms);
  body["links"] = kernel_links(subject.kernel.id);
  if (!outcome.ptx.empty()) {
    add_views(body["evidence_id"], subject.kernel.id, body["links"]);
  }
  if (!diagnostics.empty()) {
    body["links"].push_back({{"rel", "log"}, {"uri", "kernel://" + subject.kernel.id + "/log"}});
  }
  return finished(summary_of(subject, compiled, diagnostics), std::move(body),
                  steps_after(subject, compiled.verdict));
}

Result<Subject> CompileKernelTool::choose(const Json& arguments, const std::stop_token& stop) {
  WS_TRY(Subject subject, choose_kernel(services_, arguments, stop));
  if (arguments.contains("ref")) {
    std::optional<std::string> expect;
    if (arguments.contains("expect_ref")) {
      expect = arguments["expect_ref"].get<std::string>();
    }
    WS_CHECK(services_.archive->set_ref(arguments["ref"], subject.kernel.id, expect));
  }
  return subject;
}

Result<Json> CompileKernelTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    WS_TRY(Device* const device, services_.device(common.device));
    const auto as_job = [&](const std::string& key, auto work) {
      return run_as_job(services_, kCompileLane, spec_.name, key, common, context, std::move(work));
    };
    if (choice_takes_time(services_, arguments)) {
      Json asked = arguments;
      asked.erase("wait_ms");
      return as_job(asked.dump(), [this, device, asked, common](CallContext& own) -> Result<Json> {
        WS_TRY(const Subject subject, choose(asked, own.stop));
        return compile(subject, *device, asked, common, own.stop);
      });
    }
    WS_TRY(const Subject subject, choose(arguments, context.stop));
    const std::string key = device->id + subject.kernel.id +
                            arguments.value("params", Json::object()).dump() +
                            arguments.value("arch", "") + (common.full ? " full" : "");
    return as_job(key, [this, subject, device, arguments, common](CallContext& own) {
      return compile(subject, *device, arguments, common, own.stop);
    });
  });
}

}  // namespace ws
