// The principals that requests come from, and what they may do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/viewer.h"

namespace ws::server {

/// Each may do all that those before it may.
enum class Role : std::uint8_t {
  kRead,   ///< Look at what is stored, and at jobs.
  kUse,    ///< Run kernels, and store.
  kAdmin,  ///< Operate the server.
};

inline constexpr std::array<std::string_view, 3> kRoleNames = {"read", "use", "admin"};

constexpr std::string_view name_of(Role role) {
  return kRoleNames.at(static_cast<std::size_t>(role));
}

std::optional<Role> role_of(std::string_view name);

/// How much the clients of one principal may ask for, together. Nothing: as much as they want.
struct PrincipalLimits {
  std::optional<int> requests_per_minute{};
  std::optional<int> queued_jobs{};  ///< Jobs that wait, in all lanes.
  std::optional<int> compile_seconds_per_day{};
  std::optional<int> device_seconds_per_day{};
  std::optional<int> stored_megabytes{};  ///< 1,000,000 bytes each, in the archive.
};

/// A limit and its key in the principals file.
struct LimitKey {
  std::string_view key;
  std::optional<int> PrincipalLimits::* limit;
};

inline constexpr std::array<LimitKey, 5> kLimitKeys = {{
    {"requests-per-minute", &PrincipalLimits::requests_per_minute},
    {"queued-jobs", &PrincipalLimits::queued_jobs},
    {"compile-seconds-per-day", &PrincipalLimits::compile_seconds_per_day},
    {"device-seconds-per-day", &PrincipalLimits::device_seconds_per_day},
    {"stored-megabytes", &PrincipalLimits::stored_megabytes},
}};

struct Principal {
  std::string name;
  Role role = Role::kRead;
  PrincipalLimits limits{};
  /// The rows of the archive that it sees, and whether others see those that it stores. Null: it
  /// sees all, and they see all of its own.
  ViewerPtr viewer{};

  [[nodiscard]] bool may(Role needed) const { return role >= needed; }
};

/// The part of the archive that the principal sees, and how much it may have there.
/// @param shares  Others see what it stores.
ViewerPtr viewer_of(const Principal& who, bool shares);

/// The principal of those who use the server on stdio, or where no token is asked for.
const std::shared_ptr<const Principal>& local_principal();

/// The principal of those who show the token of --token-file or WARPSMITH_TOKEN.
const std::shared_ptr<const Principal>& owner_principal();

/// 1 to 64 letters, digits, dashes and underscores.
bool is_principal_name(std::string_view name);

/// "`validate` needs the role `use`; the principal `ci` has `read`". Counts the refusal.
std::string refused_role(std::string_view what, Role needed, const Principal& who);

}  // namespace ws::server
