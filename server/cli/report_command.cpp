#include <cstdio>
#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/base/files.h"
#include "runtime/lineage/kernel_page.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

Status write_page(const ReportOptions& options) {
  WS_TRY(const auto archive, Archive::open(options.place));
  WS_TRY(const auto lines, LineStore::open(options.place));
  WS_TRY(const std::string page, kernel_page(*archive, *lines, options.ref, options.device));
  return write_file(options.file, page);
}

}  // namespace

int report_command(const ReportOptions& options) {
  const Status written = write_page(options);
  if (!written) {
    std::fputs((to_text(written.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace ws::server
