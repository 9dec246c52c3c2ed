#include "runtime/compile/nvrtc_service.h"

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/file_stamp.h"

namespace ws {
namespace {

Result<std::string> nvrtc_identity(const std::string& executable, const Toolkit& toolkit,
                                   Stamp stamp) {
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string compiler, identity_of(toolkit, stamp));
  return sha256_hex(worker + compiler);
}

}  // namespace

CompileService::Options nvrtc_service(const std::string& executable, const Toolkit& toolkit,
                                      std::shared_ptr<CompileStore> store) {
  // Above what a worker gives one compile of processor time: it answers by itself.
  constexpr std::chrono::seconds deadline{90};
  CompileService::Options options;
  options.executable = executable;
  options.role = "nvrtc";
  options.by_owner = true;
  options.compiler = "the CUDA compiler (NVRTC)";
  options.setup = encode(toolkit);
  options.workers = core_count();
  options.deadline = deadline;
  options.store = std::move(store);
  options.identity = [executable, toolkit](Stamp stamp) {
    return nvrtc_identity(executable, toolkit, stamp);
  };
  return options;
}

}  // namespace ws
