// A request may ask its client for something first: a form, a model's reply, the roots.
#pragma once

#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// All that the client has given so far.
struct Inputs {
  Json responses = Json::object();  ///< By key: the client's results.
  Json state = nullptr;             ///< As the request has left it for itself the last time.

  /// Those of `requests` without a usable response: there is none, or one off what was asked, such
  /// as a form off its schema. A client that declines has given its response.
  [[nodiscard]] Json unanswered(const Json& requests) const;
};

/// In place of an answer.
struct InputNeeded {
  Json requests;         ///< {key: {method, params}}, at least one.
  Json state = nullptr;  ///< Comes back with the responses, as it is. The client may read it.
};

/// The capability that a client needs to be asked this, as an object of capabilities.
///
/// @param request  {method, params}
Json capability_for(const Json& request);

/// True where `capabilities`, a client's own, have all of `needed`.
bool declares(const Json& capabilities, const Json& needed);

/// Leaves in those that the client says it can answer.
///
/// @return  -32021 with status 400 where there are none: it lists the capabilities.
RpcResult<Json> answerable(const Json& requests, const Json& capabilities);

/// The inputs that a request of the stateless protocol brings along, without its state.
///
/// @errors -32602: `inputResponses` is not an object of objects.
RpcResult<Json> responses_of(const Json& params);

}  // namespace ws::server
