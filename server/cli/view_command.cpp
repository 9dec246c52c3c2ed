// The page to look at, for a folder without a running server.
#include <cstdio>
#include <string>
#include <utility>

#include "server/cli/commands.h"
#include "server/cli/required_archive.h"
#include "server/operate/life_cycle.h"
#include "server/page/page_server.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

Status view(const ViewOptions& options) {
  WS_CHECK(require_archive(options.place));
  WS_TRY(const auto life, LifeCycle::begin({}));
  WS_TRY(const auto archive, Archive::open(options.place));
  WS_TRY(const auto page, Page::open(*archive, options.place, {}));
  WS_TRY(const auto server, PageServer::open(*page, {"127.0.0.1", options.port, true}));
  std::printf("http://127.0.0.1:%d/\n", server->port());
  std::fflush(stdout);
  life->run({.drain = [] {},
             .idle = [] { return true; },
             .reopen_logs = [] {},
             .reload = {},
             .lives = {}});
  server->run(life->stop_fd());
  life->leave();
  return {};
}

}  // namespace

int view_command(const ViewOptions& options) {
  const Status viewed = view(options);
  if (!viewed) {
    std::fputs((to_text(viewed.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace ws::server
