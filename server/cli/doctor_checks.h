// The checks of `warpsmith doctor`. None of them changes anything on the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ws::server {

enum class CheckState : std::uint8_t {
  kOk,
  kMissing,  ///< The default device does not work without it.
  kNote,     ///< Good to know.
};

/// "ok", "missing", "note".
std::string_view name_of(CheckState state);

struct Check {
  std::string what;
  CheckState state = CheckState::kOk;
  std::string value;
  std::string fix;  ///< How to fix it; never empty when kMissing.
};

struct DoctorSubject {
  std::filesystem::path executable;
  std::filesystem::path data_dir;
  std::vector<std::string> cuda_folders;      ///< As ServicesOptions::cuda_folders.
  std::optional<std::string> cuda_visible;    ///< As ServicesOptions::cuda_visible.
  std::vector<std::string> interpreters;      ///< As ServicesOptions::interpreters.
  std::vector<std::string> hip_folders;       ///< As ServicesOptions::hip_folders.
  std::optional<std::string> vulkan_drivers;  ///< As ServicesOptions::vulkan_drivers.
  std::vector<std::filesystem::path> skills;  ///< As ServicesOptions::skills.
};

/// All checks, in the order of the table. Starts a compile worker and a process for the sandbox.
/// @threads The only one of the process when called: the sandbox is tried in a fork.
std::vector<Check> examine(const DoctorSubject& subject);

/// The device that a tool uses when none is named, as the checks show it: "cuda:0", "cpu:0".
std::string default_device(const std::vector<Check>& checks);

/// A line per check, and its fix below it.
std::string doctor_table(const std::vector<Check>& checks);

}  // namespace ws::server
