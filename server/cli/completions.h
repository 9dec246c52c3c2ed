// Completes what a person types: ids of kernels, devices, and words of which one is meant.
#pragma once

#include "runtime/session/services.h"
#include "server/protocol/offer.h"
#include "tools/registry.h"

namespace ws::server {

class Completions : public CompletionSource {
 public:
  /// Both must outlive it.
  Completions(Services& services, const ToolRegistry& registry)
      : services_(services),
        registry_(registry) {}

  /// For arguments of prompts, and for the variables of resources' addresses: the id in
  /// kernel://{id}/source is a kernel's, that in device://{id} a device's. An argument with the
  /// name of a tool's argument that has an enum takes its words.
  [[nodiscard]] std::vector<std::string> complete(const Json& ref, const std::string& argument,
                                                  const std::string& value,
                                                  const Json& chosen) const override;

 private:
  [[nodiscard]] std::vector<std::string> devices(const std::string& start) const;
  [[nodiscard]] std::vector<std::string> words(const std::string& argument,
                                               const std::string& start) const;

  Services& services_;
  const ToolRegistry& registry_;
};

}  // namespace ws::server
