#include "server/access/gate.h"

#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"

namespace ws::server {

Gate::Gate(std::shared_ptr<const Principals> principals)
    : principals_(std::move(principals)) {}

Gate::Address& Gate::address_of(const std::string& name, Clock::time_point now) {
  const int limit = principals_->failed_logins_per_minute();
  auto at = addresses_.find(name);
  if (at == addresses_.end()) {
    if (addresses_.size() >= kMostAddresses) {
      addresses_.erase(std::min_element(
          addresses_.begin(), addresses_.end(),
          [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    const Allowance whole(limit, now);
    at = addresses_.emplace(name, Address{.guesses = whole, .checks = whole, .used = now}).first;
  }
  if (at->second.guesses.per_minute() != limit) {
    at->second.guesses = at->second.checks = Allowance(limit, now);
  }
  at->second.used = now;
  return at->second;
}

Admission Gate::count(const Principals::Known& who, Clock::time_point now) {
  const std::optional<int> limit = who->limits.requests_per_minute;
  Use& use = uses_[who->name];
  if (use.admitted == nullptr) {
    use.admitted = &metric_cell(Metric::kPrincipalRequests, {who->name, "admitted"});
    use.limited = &metric_cell(Metric::kPrincipalRequests, {who->name, "limited"});
  }
  if (!limit) {
    use.allowance.reset();
  } else if (!use.allowance || use.allowance->per_minute() != *limit) {
    use.allowance.emplace(*limit, now);
  }
  if (const auto wait = use.allowance ? use.allowance->take(now) : std::nullopt) {
    use.limited->add();
    return {.entry = Entry::kTooManyRequests, .who = who, .per_minute = *limit, .wait = *wait};
  }
  use.admitted->add();
  return {.entry = Entry::kAdmitted, .who = who};
}

Admission Gate::admit(const Sender& sender, Clock::time_point now) {
  const Principals::Known user = sender.user ? principals_->of_user(*sender.user)
                                 : guarded() ? nullptr
                                             : local_principal();
  if (user) {
    const std::lock_guard lock(mutex_);
    return count(user, now);
  }
  if (!sender.authorization || !guarded()) {
    return {.entry = sender.user ? Entry::kUnknownUser : Entry::kNoToken};
  }
  return admit_token(sender, now);
}

std::optional<Admission> Gate::refuse_check(const std::string& address, std::string_view token,
                                            Clock::time_point now) {
  const std::string name = principals_->claimed_issued(token);
  const std::lock_guard lock(mutex_);
  Address& from = address_of(address, now);
  const auto wait = from.guesses.wait(now);
  if (!wait) {
    return std::nullopt;
  }
  const auto seen = from.seen.find(name);
  const bool may = seen != from.seen.end() &&
                   (seen->second == sha256_hex(token) || !from.checks.take(now).has_value());
  return may ? std::nullopt
             : std::optional(Admission{.entry = Entry::kTooManyLogins,
                                       .per_minute = from.guesses.per_minute(),
                                       .wait = *wait});
}

Admission Gate::admit_token(const Sender& sender, Clock::time_point now) {
  const std::optional<std::string_view> token = shown_token(sender.authorization);
  Principals::Found found = token ? principals_->find_own(*token) : Principals::Found{};
  const bool issued = token && !found.who && !found.fault && principals_->may_be_issued(*token);
  if (issued) {
    if (std::optional<Admission> refused = refuse_check(sender.address, *token, now)) {
      return *refused;
    }
    found = principals_->find_issued(*token);
  }
  const Principals::Known& who = found.who;
  if (found.fault == TokenFault::kKeysAwaited || found.fault == TokenFault::kNoScope) {
    const bool awaited = found.fault == TokenFault::kKeysAwaited;
    return {.entry = awaited ? Entry::kKeysAwaited : Entry::kNoScope, .fault = found.fault};
  }
  const std::lock_guard lock(mutex_);
  Address& from = address_of(sender.address, now);
  const bool seen = who && from.seen.contains(who->name);
  if (const auto wait = seen  ? std::nullopt
                        : who ? from.guesses.wait(now)
                              : from.guesses.take(now)) {
    return {.entry = Entry::kTooManyLogins, .per_minute = from.guesses.per_minute(), .wait = *wait};
  }
  if (!who) {
    return {.entry = Entry::kWrongToken, .fault = found.fault};
  }
  from.seen[who->name] = issued ? sha256_hex(*token) : std::string();
  return count(who, now);
}

}  // namespace ws::server
