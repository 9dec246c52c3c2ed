#include "server/access/principal.h"

#include <algorithm>
#include <utility>

#include "runtime/base/client_key.h"
#include "runtime/base/metrics.h"
#include "runtime/base/text.h"

namespace ws::server {

std::optional<Role> role_of(std::string_view name) {
  const auto at = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  return at == kRoleNames.end() ? std::nullopt
                                : std::optional(static_cast<Role>(at - kRoleNames.begin()));
}

ViewerPtr viewer_of(const Principal& who, bool shares) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  Viewer viewer{.owner = who.name, .sees_all = who.may(Role::kAdmin), .shares = shares};
  if (who.limits.stored_megabytes) {
    viewer.most_bytes = kMegabyte * *who.limits.stored_megabytes;
  }
  return std::make_shared<const Viewer>(std::move(viewer));
}

const std::shared_ptr<const Principal>& local_principal() {
  static const auto kLocal =
      std::make_shared<const Principal>(Principal{std::string(kLocalPrincipal), Role::kAdmin});
  return kLocal;
}

const std::shared_ptr<const Principal>& owner_principal() {
  static const auto kOwner = std::make_shared<const Principal>(Principal{"owner", Role::kAdmin});
  return kOwner;
}

bool is_principal_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-'; });
}

std::string refused_role(std::string_view what, Role needed, const Principal& who) {
  metric_cell(Metric::kPrincipalRequests, {who.name, "denied"}).add();
  return "`" + std::string(what) + "` needs the role `" + std::string(name_of(needed)) +
         "`; the principal `" + who.name + "` has `" + std::string(name_of(who.role)) + "`";
}

}  // namespace ws::server
