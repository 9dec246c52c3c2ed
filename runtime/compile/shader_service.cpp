#include "runtime/compile/shader_service.h"

#include <filesystem>

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/file_stamp.h"
#include "runtime/compile/glslang/plugin.h"

namespace ws {
namespace {

Result<std::string> shader_identity(const std::string& executable, Stamp stamp) {
  const auto plugin = std::filesystem::path(executable).parent_path() / kSpirvPluginFile;
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string compiler, library_stamp(plugin, stamp));
  return sha256_hex(worker + compiler);
}

}  // namespace

CompileService::Options shader_service(const std::string& executable,
                                       std::shared_ptr<CompileStore> store) {
  CompileService::Options options;
  options.executable = executable;
  options.role = "spirv";
  options.by_owner = true;
  options.compiler = "the compiler of HLSL and GLSL (glslang)";
  options.workers = core_count();
  options.store = std::move(store);
  options.identity = [executable](Stamp stamp) { return shader_identity(executable, stamp); };
  return options;
}

}  // namespace ws
