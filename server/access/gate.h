// Lets requests in: says who sends one, and whether it may be sent now.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/call_context.h"
#include "runtime/base/metrics.h"
#include "server/access/allowance.h"
#include "server/access/principals.h"

namespace ws::server {

enum class Entry : std::uint8_t {
  kAdmitted,
  kNoToken,
  kWrongToken,
  kNoScope,          ///< An access token that is right, but not for this server's tools.
  kKeysAwaited,      ///< The access token cannot be checked yet.
  kUnknownUser,      ///< The user at the other end of the socket is no principal.
  kTooManyLogins,    ///< The address has shown too many wrong tokens.
  kTooManyRequests,  ///< The principal has sent too many.
};

struct Admission {
  Entry entry = Entry::kAdmitted;
  Principals::Known who{};            ///< Null where nobody is known.
  std::optional<TokenFault> fault{};  ///< Why an access token is refused.
  int per_minute = 0;                 ///< kTooMany...: the limit.
  std::chrono::seconds wait{0};       ///< kTooMany...: how long until another may come.
};

/// The sender of a request, as far as it shows itself.
struct Sender {
  std::string address;
  std::optional<uid_t> user{};                 ///< Known of a Unix socket only.
  std::optional<std::string> authorization{};  ///< The header's value; nothing when it is absent.
};

/// Any thread.
class Gate {
 public:
  /// Addresses that are remembered; beyond, those that were seen longest ago are forgotten.
  static constexpr std::size_t kMostAddresses = 4096;

  explicit Gate(std::shared_ptr<const Principals> principals);

  /// As Principals::guarded().
  [[nodiscard]] bool guarded() const { return principals_->guarded(); }

  /// Counts the request. An address that shows too many wrong tokens is refused whatever it shows
  /// then, so that nobody can guess on; but principals that have come in from there before still
  /// do: a client with a revoked token does not lock out its neighbours. Such an address has no
  /// signature checked but of the last token that let a principal in, and of so many a minute as it
  /// may show wrong ones, if they name such a principal. A user of a Unix socket needs no token if
  /// it is a principal.
  Admission admit(const Sender& sender, Clock::time_point now);

 private:
  struct Address {
    Allowance guesses;
    Allowance checks;  ///< For signatures, once there are too many guesses.
    /// Principals that came in, by name, with the digest of their last access token.
    std::map<std::string, std::string> seen{};
    Clock::time_point used;
  };

  struct Use {
    std::optional<Allowance> allowance;  ///< Nothing: it has no limit.
    MetricCell* admitted = nullptr;
    MetricCell* limited = nullptr;
  };

  /// With the mutex held.
  Address& address_of(const std::string& name, Clock::time_point now);
  Admission count(const Principals::Known& who, Clock::time_point now);

  Admission admit_token(const Sender& sender, Clock::time_point now);
  std::optional<Admission> refuse_check(const std::string& address, std::string_view token,
                                        Clock::time_point now);

  const std::shared_ptr<const Principals> principals_;
  std::mutex mutex_;
  std::map<std::string, Address> addresses_;  // guarded by mutex_
  std::map<std::string, Use> uses_;           // guarded by mutex_; by the names of principals
};

}  // namespace ws::server
