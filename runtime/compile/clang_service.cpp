#include "runtime/compile/clang_service.h"

#include <filesystem>

#include <cpuid.h>

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/file_stamp.h"

namespace ws {
namespace {

/// The instruction sets that programs may use here, which the CPU engine compiles for: a data
/// folder may be on several machines. The processor may have more of them than its system saves.
std::string processor_features() {
  constexpr unsigned extended = 7;
  std::string text = __builtin_cpu_supports("x86-64-v4") != 0   ? "4 "
                     : __builtin_cpu_supports("x86-64-v3") != 0 ? "3 "
                                                                : "2 ";
  for (const unsigned leaf : {1U, extended}) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    __get_cpuid_count(leaf, 0, &a, &b, &c, &d);
    // Leaf 1 has the number of the core in b.
    text += std::to_string(leaf == extended ? b : 0) + " " + std::to_string(c) + " ";
  }
  return text + "\n";
}

Result<std::string> clang_identity(const std::string& executable, Stamp stamp) {
  const auto plugin = std::filesystem::path(executable).parent_path() / kClangPluginFile;
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string compiler, library_stamp(plugin, stamp));
  return sha256_hex(worker + compiler + processor_features());
}

}  // namespace

CompileService::Options clang_service(const std::string& executable,
                                      std::shared_ptr<CompileStore> store) {
  CompileService::Options options;
  options.executable = executable;
  options.workers = core_count();
  options.store = std::move(store);
  options.identity = [executable](Stamp stamp) { return clang_identity(executable, stamp); };
  return options;
}

}  // namespace ws
