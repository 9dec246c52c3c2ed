#include "runtime/evaluate/prepared.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "runtime/device/plan_limits.h"
#include "runtime/judge/rotation.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

/// Why a kernel in `language` does not run on the device; "" when it does.
std::string unsupported_language(const std::string& language, const DeviceInfo& device) {
  const auto& known = device.languages;
  if (std::find(known.begin(), known.end(), language) != known.end()) {
    return {};
  }
  return "the kernel's language is `" + language + "`, which " + device.name + " (" + device.arch +
         ") does not take: " +
         (is_shader_language(language)
              ? "it needs a Vulkan device; mesa-vulkan-drivers has one on the CPU (lavapipe)"
              : "compile it for cpu:0 or a device with that language");
}

/// @return  Differs where the code may.
std::string code_of(const Kernel& kernel) {
  std::string text = kernel.language + '\0' + kernel.source + '\0' + kernel.macros;
  for (const std::string& option : kernel.options) {
    text += '\0' + option;
  }
  for (const auto& [name, header] : kernel.headers) {
    text += '\0' + name + '\0' + header;
  }
  return sha256_hex(text);
}

void allow_rotations(const Problem& problem, ResolvedPlan& plan) {
  for (BufferSpec& buffer : plan.buffers) {
    const ArgSpec* arg = problem.find_arg(buffer.name);
    buffer.rotation_step = arg == nullptr ? 0 : rotation_step(*arg, buffer);
  }
}

}  // namespace

Verdict verdict_of(CompileVerdict verdict) {
  switch (verdict) {
    case CompileVerdict::kCompiled:
      return Verdict::kCompiled;
    case CompileVerdict::kCompileError:
      return Verdict::kCompileError;
    case CompileVerdict::kTimeout:
      return Verdict::kTimeout;
    case CompileVerdict::kResourceLimit:
      return Verdict::kResourceLimit;
    case CompileVerdict::kPruned:
    case CompileVerdict::kUnsupported:
      break;
  }
  return Verdict::kUnsupported;
}

Result<Compiled> compile_for(Backend& backend, const Problem& problem, const Kernel& kernel,
                             const Workload& workload, const Params& params, CompileChoice choice,
                             const std::stop_token& stop) {
  Compiled compiled;
  compiled.code = code_of(kernel);
  CompileRequest request;
  request.build = choice.build;
  WS_TRY(request.source, render(kernel, workload, params));
  WS_TRY(compiled.plan, resolve_plan(problem, kernel, workload, params));
  allow_rotations(problem, compiled.plan);
  if (is_tile_language(kernel.language)) {
    request.source.launches = tile_launches(compiled.plan);
  }
  WS_TRY(DeviceInfo device, backend.info());
  if (choice.buffer_bytes != 0) {
    device.limits.max_buffer_bytes = choice.buffer_bytes;
  }
  compiled.buffer_bytes = choice.buffer_bytes;
  compiled.message = unsupported_language(kernel.language, device);
  if (compiled.message.empty() && !is_tile_language(kernel.language)) {
    compiled.message = unsupported_feature(compiled.plan, device);
  }
  if (!compiled.message.empty()) {
    compiled.verdict = Verdict::kUnsupported;
    // Nothing is compiled: the source alone may be fine.
    compiled.reply = {std::make_shared<const CompileOutcome>(), CacheUse::kBypass};
    return compiled;
  }
  WS_TRY(compiled.reply, backend.compile(request, stop, choice.fresh));
  const CompileOutcome& outcome = *compiled.reply.outcome;
  if (outcome.verdict != CompileVerdict::kCompiled) {
    compiled.verdict = verdict_of(outcome.verdict);
    compiled.message = outcome.message;
    return compiled;
  }
  if (const Status matches = check_arguments(compiled.plan, outcome.image); !matches) {
    compiled.verdict = Verdict::kCompileError;
    compiled.message = matches.error().message;
    return compiled;
  }
  compiled.message = over_limit(compiled.plan, outcome.image, device.limits);
  if (!compiled.message.empty()) {
    compiled.verdict = Verdict::kResourceLimit;
  }
  return compiled;
}

Compiled module_side(const Problem& problem, const Compiled& kernel, const ModuleRun& module) {
  Compiled side;
  side.module = std::make_shared<const ModuleRun>(module);
  side.buffer_bytes = kernel.buffer_bytes;
  side.reply = {std::make_shared<const CompileOutcome>(), CacheUse::kBypass};
  for (const BufferSpec& buffer : kernel.plan.buffers) {
    if (problem.find_arg(buffer.name) != nullptr) {  // No scratch memory of the kernel.
      side.plan.buffers.push_back(buffer);
    }
  }
  return side;
}

Result<Prepared> prepare(Backend& backend, const Compiled& compiled, RunAs as,
                         const std::string& batch, const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  const std::uint64_t limit =
      compiled.buffer_bytes != 0 ? compiled.buffer_bytes : device.limits.max_buffer_bytes;
  Prepared prepared;
  prepared.plan = compiled.plan;
  prepared.compiled = compiled.reply.outcome;
  WS_TRY(prepared.arena, Arena::create(compiled.plan.buffers, limit));
  if (compiled.module != nullptr) {
    auto* const runs = dynamic_cast<RunsModules*>(&backend);
    if (runs == nullptr) {
      return fail(ErrorCode::kUnsupported, device.name + " runs no PyTorch modules");
    }
    WS_TRY(prepared.session,
           runs->open_module(*compiled.module, prepared.plan, prepared.arena, stop));
    return prepared;
  }
  WS_TRY(RunPlan plan, bind_plan(compiled.plan, compiled.image(), *prepared.arena));
  const std::string role = std::to_string(static_cast<int>(as));
  plan.owner = role + compiled.code;
  plan.batch = batch.empty() ? batch : role + batch;
  WS_TRY(prepared.session, backend.open(compiled.image(), plan, prepared.arena));
  return prepared;
}

}  // namespace ws
