#include "runtime/base/result.h"

#include <cerrno>
#include <system_error>

namespace ws {

tl::unexpected<Error> fail_errno(const std::string& call, std::string message, std::string hint) {
  const std::string reason = std::generic_category().message(errno);
  return fail(ErrorCode::kIo, std::move(message), std::move(hint), call + ": " + reason);
}

}  // namespace ws
