#include "runtime/base/client_key.h"

namespace ws {
namespace {

constexpr char kMark = '@';

}  // namespace

std::string client_key(std::string_view principal, std::string_view client) {
  if (principal == kLocalPrincipal) {
    return std::string(client);
  }
  std::string key(1, kMark);
  key.append(principal).append(" ").append(client);
  return key;
}

std::string_view principal_of(std::string_view client_key) {
  return client_key.starts_with(kMark) ? client_key.substr(1, client_key.find(' ') - 1)
                                       : kLocalPrincipal;
}

}  // namespace ws
