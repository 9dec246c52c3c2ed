// Result<T>: a value or an Error. Our own functions do not throw.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "runtime/base/error.h"

namespace ws {

/// Use only bool, *, -> and error(), so that std::expected can replace it one day.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                  std::string source = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint), std::move(source)});
}

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// fail(kIo, ...) with errno's text as the source: fail_errno("open", "cannot read the archive").
tl::unexpected<Error> fail_errno(const std::string& call, std::string message,
                                 std::string hint = {});

}  // namespace ws

#define WS_CONCAT_INNER(a, b) a##b
#define WS_CONCAT(a, b) WS_CONCAT_INNER(a, b)

/// WS_TRY(const auto x, expr): declares x from a Result, or returns its error. One per line.
#define WS_TRY(declaration, expression)                                    \
  auto WS_CONCAT(ws_result_, __LINE__) = (expression);                     \
  if (!WS_CONCAT(ws_result_, __LINE__)) {                                  \
    return ::ws::fail(std::move(WS_CONCAT(ws_result_, __LINE__)).error()); \
  }                                                                        \
  declaration = *std::move(WS_CONCAT(ws_result_, __LINE__))

/// WS_CHECK(expr): returns the error of a Status, if it has one.
#define WS_CHECK(expression)                           \
  do {                                                 \
    if (auto ws_status = (expression); !ws_status) {   \
      return ::ws::fail(std::move(ws_status).error()); \
    }                                                  \
  } while (false)
