// Everything a serving process owns.
#pragma once

#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "runtime/base/result.h"
#include "runtime/session/services.h"
#include "server/picture/picture_maker.h"
#include "server/protocol/mcp_server.h"
#include "tools/all_tools.h"
#include "tools/kernels/recent_resources.h"
#include "tools/registry.h"
#include "tools/tool.h"

namespace ws::server {

/// The guide, which is always there, and the kernels and problems that answers have named lately.
/// Any thread.
class ListedResources : public ResourceList {
 public:
  /// @param archive  Outlives it.
  explicit ListedResources(Archive& archive)
      : archive_(archive) {}

  [[nodiscard]] Json rows() const override;

  [[nodiscard]] bool is_binary(const std::string& /*uri*/) const override { return false; }

  ResourceNews note(const Json& answer);

 private:
  Archive& archive_;
  RecentResources recent_;
};

class App {
 public:
  /// Opens the services, registers all tools and builds the protocol core on them.
  /// @errors Those of open_services; kIo: no threads or memory; kInternal: a tool's schema is
  /// wrong.
  static Result<std::unique_ptr<App>> open(const ServicesOptions& options);

  [[nodiscard]] const McpServer& server() const { return *server_; }

  [[nodiscard]] Services& services() const { return *services_; }

 private:
  App() = default;

  static Result<std::unique_ptr<App>> open_all(const ServicesOptions& options);

  ToolRegistry registry_;  ///< Before the services: their jobs use the tools to their end.
  std::unique_ptr<Services> services_;
  std::unique_ptr<ResourceReader> resources_;
  std::unique_ptr<CompletionSource> completions_;
  std::unique_ptr<ListedResources> listed_;
  AppView view_;
  std::unique_ptr<PictureMaker> pictures_;
  std::unique_ptr<McpServer> server_;
  std::jthread skills_check_;  ///< Says early which files of transformations cannot be used.
};

/// The error of a server for whose start there are no threads, or no memory.
tl::unexpected<Error> cannot_start(const std::system_error& error);
tl::unexpected<Error> cannot_start(const std::bad_alloc& error);

}  // namespace ws::server
