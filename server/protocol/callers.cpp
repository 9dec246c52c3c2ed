// The names of those who make requests.
#include "runtime/base/client_key.h"
#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxName = 64;

}  // namespace

std::string client_of(const Message& message, const std::string& from) {
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

std::string introduced(const Json& params, const std::string& from) {
  const Json info = params.value("clientInfo", Json());
  const Json name = info.is_object() ? info.value("name", Json()) : Json();
  return name.is_string() ? from + " " + name.get<std::string>().substr(0, kMaxName) : from;
}

std::string caller_of(const Message& message, Revision revision, const RequestContext& context) {
  const std::string client =
      client_key(context.principal->name, client_of(message, context.client));
  return is_modern(revision) || context.session.empty() ? client : client + "\n" + context.session;
}

std::string canceller_of(const RequestContext& context) {
  return client_key(context.principal->name, context.client) + "\n" + context.session;
}

}  // namespace ws::server
