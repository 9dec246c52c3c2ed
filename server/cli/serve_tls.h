// TLS of `serve`: its options, and the certificate that may change while it runs.
#pragma once

#include <memory>

#include "runtime/base/result.h"
#include "server/cli/commands.h"
#include "server/transport/tls_context.h"

namespace ws::server {

/// Null: the options name no file, or the server speaks on stdio.
/// @errors kInvalidArgument: a file is missing beside another one, or there is no address;
/// as TlsContext::open().
Result<std::shared_ptr<TlsContext>> open_tls(const ServeOptions& options);

/// Reads the files again, and logs how it went.
void reload_tls(TlsContext& tls);

}  // namespace ws::server
