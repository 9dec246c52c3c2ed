// The ids by which requests are found again in logs.
#pragma once

#include <string>
#include <string_view>

#include "server/transport/http_head.h"

namespace ws::server {

/// In each answer, and in requests of clients that have an id of their own.
inline constexpr const char* kRequestIdHeader = "X-Request-Id";

/// The id that the client gives, in X-Request-Id or as the trace of a traceparent, where it is up
/// to 64 letters, digits, points, dashes and underscores; else one that is drawn.
/// @source W3C Trace Context, section 3.2: 00-<32 hex>-<16 hex>-<2 hex>.
std::string request_id_of(const HttpHead& head);

std::string drawn_request_id();

/// The span of the client that a request is a part of, as its traceparent says where that gives the
/// request its id; else nothing.
std::string parent_span_of(const HttpHead& head);

}  // namespace ws::server
