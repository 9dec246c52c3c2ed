// A PyTorch module as one side of a comparison: what to run, and the interface of a device that
// does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/device/backend.h"

namespace ws {

/// How PyTorch runs a module.
enum class ModuleMode : std::uint8_t {
  kEager,
  kCompiled,     ///< torch.compile
  kMaxAutotune,  ///< torch.compile, mode max-autotune
};

struct ModuleModeRow {
  ModuleMode mode;
  std::string_view name;  ///< On the wire, as a baseline.
};

inline constexpr ModuleModeRow kModuleModes[] = {
    {ModuleMode::kEager, "torch"},
    {ModuleMode::kCompiled, "torch.compile"},
    {ModuleMode::kMaxAutotune, "torch.compile:max-autotune"},
};

/// Nothing: no baseline of PyTorch has this name.
constexpr std::optional<ModuleMode> module_mode_of(std::string_view name) {
  for (const ModuleModeRow& row : kModuleModes) {
    if (row.name == name) {
      return row.mode;
    }
  }
  return std::nullopt;
}

constexpr std::string_view name_of(ModuleMode mode) {
  for (const ModuleModeRow& row : kModuleModes) {
    if (row.mode == mode) {
      return row.name;
    }
  }
  return "";
}

struct ModuleRun {
  /// As the reference of a problem that has_module().
  std::string source;
  ModuleMode mode = ModuleMode::kEager;
};

/// An additional interface of a Backend whose device PyTorch can use.
class RunsModules {
 public:
  virtual ~RunsModules() = default;

  /// A worker that has made the module, compiled it where the mode says so, and run it a few times
  /// on what the arena holds. Its sessions only time.
  /// @param plan  Its buffers are the problem's arguments in their order.
  /// @errors kUnsupported: no PyTorch with CUDA, a machine without landlock, or the module failed,
  /// with its line; kTimeout; kDeviceLost: the worker died; kCancelled.
  virtual Result<std::unique_ptr<Session>> open_module(const ModuleRun& module,
                                                       const ResolvedPlan& plan,
                                                       std::shared_ptr<Arena> arena,
                                                       const std::stop_token& stop) = 0;
};

}  // namespace ws
