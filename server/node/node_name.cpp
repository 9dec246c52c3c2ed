#include "server/node/node_name.h"

namespace ws::server {

Status check_node_name(const std::string& name) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
      std::string::npos;
  if (plain && !name.empty() && name.size() <= kLongestNodeName) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              "--name takes up to 64 letters, digits, dots, dashes and underscores");
}

}  // namespace ws::server
