// The collector of OpenTelemetry that `serve --otlp` names.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/result.h"
#include "server/operate/trace_exporter.h"

namespace ws::server {

/// Sends the spans of this process there while it lives.
/// @param url  http://HOST:PORT.
/// @errors kInvalidArgument: not such a URL. Where nobody answers, the log says so later.
Result<std::unique_ptr<TraceExporter>> export_traces(const std::string& url);

}  // namespace ws::server
