#include "tools/services.h"

namespace ws {

Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options) {
  auto services = std::make_unique<Services>();
  services->options = options;
  return services;
}

}  // namespace ws
