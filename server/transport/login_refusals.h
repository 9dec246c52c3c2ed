// The answers to requests whose sender the gate does not let in.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "server/access/gate.h"
#include "server/access/protected_resource.h"
#include "server/transport/http_checks.h"

namespace ws::server {

/// 401 with where a token comes from, 403 for one without a scope, 429 for too many, or 503 for one
/// that cannot be checked yet.
///
/// @param admission  It is not Entry::kAdmitted. @param user  As Sender has it.
/// @param resource   Null: no access tokens are taken.
/// @source RFC 6750, section 3; RFC 9728, section 5.1.
HttpRefusal refusal_of_login(const Admission& admission, std::optional<uid_t> user,
                             const ProtectedResource* resource);

/// A WWW-Authenticate header for a refusal that the principal's role is too low: the scope to ask
/// the issuer for. Empty: it came without an access token.
/// @param who  May be null. @param resource  As above.
std::string scope_challenge(const Principal* who, const ProtectedResource* resource);

}  // namespace ws::server
