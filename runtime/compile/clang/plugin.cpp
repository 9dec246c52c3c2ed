#include "runtime/compile/clang/plugin.h"

#include <algorithm>
#include <chrono>

#include <clang/Basic/Version.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>

#include "runtime/base/clock.h"
#include "runtime/compile/clang/codegen.h"
#include "runtime/compile/clang/confine.h"
#include "runtime/compile/clang/frontend.h"
#include "runtime/compile/clang/link.h"
#include "runtime/compile/clang/precompiled.h"
#include "runtime/compile/clang/retarget.h"

namespace ws::clang_engine {
namespace {

/// The bytes of one thread, however the kernel is run.
std::uint64_t private_bytes(const LocalBytes& local, const RetargetedEntry& entry) {
  std::uint64_t most = 0;
  for (const std::string& name : {entry.thread_function, entry.block_function}) {
    const auto at = local.find(name);
    most = std::max(most, at == local.end() ? 0 : at->second);
  }
  return entry.cut ? std::max(most, entry.cut->private_bytes) : most;
}

/// The entry with the places of its functions.
CompiledEntry linked_entry(const RetargetedEntry& entry,
                           const std::map<std::string, LinkedFunction>& functions) {
  const auto offset_of = [&](const std::string& function) {
    return function.empty() ? 0 : functions.at(function).offset;
  };
  CompiledEntry linked;
  linked.shared_bytes = entry.shared_bytes;
  linked.barriers = entry.block_function.empty();
  linked.thread_offset = offset_of(entry.thread_function);
  linked.block_offset = offset_of(entry.block_function);
  if (!entry.calls_functions && !entry.thread_function.empty()) {
    linked.stack_bytes = functions.at(entry.thread_function).stack_bytes;
  }
  if (entry.cut) {
    linked.phases = entry.cut->code;
    linked.phases.turn_offset = offset_of(entry.cut->turn_function);
    linked.phases.rows_offset = offset_of(entry.cut->rows_function);
  }
  return linked;
}

Status build(const CompileRequest& request, CompileOutcome& outcome) {
  llvm::LLVMContext context;
  WS_TRY(const std::unique_ptr<llvm::TargetMachine> target, host_target());
  FrontendResult front = run_frontend(request, context, outcome);
  if (!front.module) {
    return {};
  }
  SiteTable sites;
  std::vector<std::string> objects;
  ProfileMap profile;
  const std::vector<RetargetedEntry> entries = retarget(*front.module, front.entries, request.build,
                                                        *target, sites, objects, profile, outcome);
  if (outcome.verdict != CompileVerdict::kCompiled) {
    return {};
  }
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(*front.module, &stream)) {
    return fail(ErrorCode::kInternal, "the retarget pass made invalid code", {}, broken);
  }
  optimise(*front.module, *target);
  const auto local = confine(*front.module, sites, *target);
  if (!local) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = local.error().message;
    return {};
  }
  WS_TRY(const auto object, emit_object(*front.module, *target));
  std::map<std::string, LinkedFunction> functions;
  auto image = link_object({object.data(), object.size()}, functions);
  if (!image && image.error().code == ErrorCode::kUnsupported) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = image.error().message;
    return {};
  }
  image->looks_at_addresses = outcome.image.looks_at_addresses;
  WS_TRY(outcome.image, std::move(image));
  outcome.image.sites = sites.take();
  outcome.image.objects = std::move(objects);
  outcome.image.profile = std::move(profile);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CompiledEntry entry = linked_entry(entries[i], functions);
    entry.name = front.entries[i].name;
    entry.params = front.entries[i].params;
    entry.private_bytes = private_bytes(*local, entries[i]);
    outcome.image.entries.push_back(std::move(entry));
  }
  return {};
}

void compile(const char* request, std::size_t size, WsReply reply, void* context) {
  const auto start = std::chrono::steady_clock::now();
  CompileOutcome outcome;
  const auto decoded = decode_compile_request(std::string_view(request, size));
  const Status done = decoded ? build(*decoded, outcome) : Status(fail(decoded.error()));
  if (!done) {
    outcome = CompileOutcome{};
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = to_text(done.error());
  }
  outcome.compile_ms = elapsed_ms(start);
  const std::string bytes = encode(outcome);
  reply(context, bytes.data(), bytes.size());
}

int prepare_for(const char* request, std::size_t size) {
  const auto decoded = decode_compile_request(std::string_view(request, size));
  return decoded && precompile(*decoded) ? 1 : 0;
}

}  // namespace
}  // namespace ws::clang_engine

const WsClangPlugin* warpsmith_clang_plugin() {
  static const std::string arch = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return ws::clang_engine::host_level();
  }();
  static const WsClangPlugin plugin = {ws::kClangPluginAbi, "clang " CLANG_VERSION_STRING,
                                       arch.c_str(), &ws::clang_engine::compile,
                                       &ws::clang_engine::prepare_for};
  return &plugin;
}
