#include "runtime/compile/hip_service.h"

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/file_stamp.h"

namespace ws {
namespace {

/// Known to every hiprtc that is good enough.
constexpr const char* kWarmArch = "gfx90a";

Result<std::string> hip_identity(const std::string& executable, const HipKit& kit, Stamp stamp) {
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string compiler, identity_of(kit, stamp));
  return sha256_hex(worker + compiler);
}

}  // namespace

CompileService::Options hip_service(const std::string& executable, const HipKit& kit,
                                    std::shared_ptr<CompileStore> store) {
  // Above what a worker gives one compile of processor time: it answers by itself.
  constexpr std::chrono::seconds deadline{90};
  CompileService::Options options;
  options.executable = executable;
  options.role = "hiprtc";
  options.by_owner = true;
  options.compiler = "the HIP compiler (hiprtc)";
  options.setup = encode(HiprtcSetup{kit, kWarmArch});
  options.workers = core_count();
  options.deadline = deadline;
  options.store = std::move(store);
  options.identity = [executable, kit](Stamp stamp) {
    return hip_identity(executable, kit, stamp);
  };
  return options;
}

Result<CompileReply> HipCompiler::compile(const CompileRequest& request,
                                          const std::stop_token& stop, bool fresh) {
  WS_TRY(const bool known, archs_->knows(request.target));
  return known ? service_.compile(request, stop, fresh) : refuse(request.target);
}

Result<CompileReply> HipCompiler::refuse(const std::string& arch) {
  WS_TRY(const CompilerInfo compiler, service_.info());
  WS_TRY(const std::vector<std::string> known, archs_->known());
  std::string list;
  for (const std::string& name : known) {
    list += (list.empty() ? "" : ", ") + name;
  }
  auto outcome = std::make_shared<CompileOutcome>();
  outcome->verdict = CompileVerdict::kUnsupported;
  outcome->message = compiler.version + " does not compile for `" + arch + "`; it knows " + list;
  return CompileReply{std::move(outcome), CacheUse::kMiss};
}

}  // namespace ws
