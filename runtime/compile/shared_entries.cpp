#include "runtime/compile/shared_entries.h"

#include "runtime/base/hmac.h"

namespace ws {

std::string sign_entry(const std::string& secret, std::string_view entry) {
  return hmac_hex(secret, entry) + "\n" + std::string(entry);
}

Result<std::string_view> open_entry(const std::string& secret, std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos ||
      !same_signature(bytes.substr(0, end), hmac_hex(secret, bytes.substr(end + 1)))) {
    return fail(ErrorCode::kInvalidArgument,
                "an entry of the shared compile cache is not signed with this server's secret",
                "give all servers and nodes of a store the same --share-cache file");
  }
  return bytes.substr(end + 1);
}

}  // namespace ws
