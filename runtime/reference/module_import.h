// Makes problems of PyTorch modules: the module's source is executed in a sandboxed process of its
// own (runtime/worker/python_problem.py), which finds out shapes, dims, weights and fills.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/reference/python_host.h"

namespace ws {

/// The longest source of a module, in bytes.
inline constexpr std::size_t kMaxModuleBytes = std::size_t{256} << 10U;

struct ImportedModule {
  /// A problem's form without its name, as JSON: {dims, args, bytes, reference}. Not yet checked:
  /// it comes from a worker that has run foreign code.
  std::string form;
  std::vector<std::string> notes;  ///< Sentences for the reader about what the form leaves out.
};

struct ModuleImporterOptions {
  std::string executable;
  bool allowed = true;                    ///< False: nobody may bring Python code.
  std::vector<std::string> interpreters;  ///< Tried in turn for one that imports torch.
};

/// Remembers the last modules, as each evaluation sends one again. Any thread.
class ModuleImporter {
 public:
  explicit ModuleImporter(ModuleImporterOptions options);

  /// @errors kUnsupported: Python is off, or no interpreter has PyTorch; kInvalidArgument: the
  /// module cannot be a problem, and why, with its line; kTimeout; kDeviceLost: the worker died;
  /// kCancelled.
  Result<ImportedModule> import(const std::string& source, const std::stop_token& stop);

 private:
  Result<ImportedModule> find_and_import(const std::string& source, const std::stop_token& stop);
  /// Nothing: this interpreter has no PyTorch.
  Result<std::optional<ImportedModule>> import_by(const std::string& interpreter,
                                                  const std::string& source,
                                                  const std::stop_token& stop);

  const ModuleImporterOptions options_;
  PythonHosts hosts_;
  std::mutex mutex_;
  std::string interpreter_;                                  // guarded by mutex_; empty: not known
  std::deque<std::pair<std::string, ImportedModule>> last_;  // guarded by mutex_; by sha256_hex()
};

/// The job of a worker that executes a module, or reads a solution.
struct ModuleJob {
  std::string interpreter;
  std::string source;
  std::uint64_t seed = 1;
};

std::string encode(const ModuleJob& job);
/// @errors kInternal: not what encode() makes.
Result<ModuleJob> decode_module_job(std::string_view frame);

}  // namespace ws
