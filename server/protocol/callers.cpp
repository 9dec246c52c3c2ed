// The names of those who make requests.
#include "server/protocol/methods.h"

namespace ws::server {

std::string client_of(const Message& message, const std::string& from) {
  constexpr std::size_t kMaxName = 64;
  const Json* at = &message.params;
  for (const char* key : {"_meta", meta::kClientInfo, "name"}) {
    const auto found = at->is_object() ? at->find(key) : at->end();
    if (found == at->end()) {
      return from;
    }
    at = &*found;
  }
  return at->is_string() ? from + " " + at->get<std::string>().substr(0, kMaxName) : from;
}

std::string caller_of(const Message& message, Revision revision, const RequestContext& context) {
  const std::string client = client_of(message, context.client);
  return is_modern(revision) || context.session.empty() ? client : client + "\n" + context.session;
}

}  // namespace ws::server
