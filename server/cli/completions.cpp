#include "server/cli/completions.h"

#include "tools/kernels/kernel_ids.h"

namespace ws::server {
namespace {

/// A variable of a resource's address says by the address what it is the id of.
std::string kind_of(const Json& ref, const std::string& argument) {
  if (argument != "id" || !ref.contains("uri") || !ref["uri"].is_string()) {
    return argument;
  }
  const std::string uri = ref["uri"];
  return uri.substr(0, uri.find("://"));
}

}  // namespace

std::vector<std::string> Completions::complete(const Json& ref, const std::string& argument,
                                               const std::string& value,
                                               const Json& /*chosen*/) const {
  const std::string kind = kind_of(ref, argument);
  if (kind == "kernel" || kind == "kernel_id") {
    return kernel_ids(services_, value);
  }
  return kind == "device" ? devices(value) : words(kind, value);
}

std::vector<std::string> Completions::devices(const std::string& start) const {
  std::vector<std::string> found;
  for (const Device& device : services_.devices) {
    if (device.id.starts_with(start)) {
      found.push_back(device.id);
    }
  }
  return found;
}

std::vector<std::string> Completions::words(const std::string& argument,
                                            const std::string& start) const {
  for (const ToolRegistry::Entry* entry : registry_.list()) {
    const Json& properties = entry->tool->spec().json["inputSchema"]["properties"];
    const auto property = properties.find(argument);
    if (property == properties.end() || !property->contains("enum")) {
      continue;
    }
    std::vector<std::string> found;
    for (const Json& word : (*property)["enum"]) {
      if (word.is_string() && word.get_ref<const std::string&>().starts_with(start)) {
        found.push_back(word);
      }
    }
    return found;
  }
  return {};
}

}  // namespace ws::server
