#include "server/protocol/protocol.h"

#include <cstddef>

#include "server/protocol/json_text.h"

namespace ws::server {

std::optional<Revision> revision_of(std::string_view name) {
  for (std::size_t i = 0; i < kRevisionNames.size(); ++i) {
    if (kRevisionNames.at(i) == name) {
      return static_cast<Revision>(i);
    }
  }
  return {};
}

std::string_view name_of(Revision revision) {
  return kRevisionNames.at(static_cast<std::size_t>(revision));
}

std::string to_line(const Json& value) {
  std::string line;
  append_json(line, value);
  return line;
}

std::string to_line(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string result_line(const Json& id, std::string_view result) {
  std::string line = R"({"jsonrpc":"2.0","id":)" + to_line(id) + R"(,"result":)";
  line.reserve(line.size() + result.size() + 1);
  line.append(result).push_back('}');
  return line;
}

std::string error_line(const Json& id, const RpcError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) {
    body["data"] = error.data;
  }
  const std::string whose = id.is_null() ? std::string() : R"("id":)" + to_line(id) + ",";
  return R"({"jsonrpc":"2.0",)" + whose + R"("error":)" + to_line(body) + "}";
}

}  // namespace ws::server
