// State of a request that its client keeps for it between two tries, and cannot change.
#pragma once

#include <chrono>
#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// One process's key. Any thread.
class RequestStates {
 public:
  /// @param lifetime  How long a state is good for.
  explicit RequestStates(std::chrono::seconds lifetime = std::chrono::hours(1));

  /// The `requestState`: signed, but not secret.
  ///
  /// @param request  The request that it belongs to, as request_name() has it.
  [[nodiscard]] std::string seal(const Json& state, const std::string& request) const;

  /// @errors -32602: it was changed, belongs to another request or process, or is too old.
  [[nodiscard]] RpcResult<Json> open(const std::string& sealed, const std::string& request) const;

 private:
  [[nodiscard]] std::string signature(const std::string& payload, const std::string& request) const;

  const std::chrono::seconds lifetime_;
  const std::string key_;  // 64 bytes
};

/// The same for each try of one request: its method, and its parameters but for the inputs.
std::string request_name(const std::string& method, const Json& params);

}  // namespace ws::server
