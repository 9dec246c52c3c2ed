#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "runtime/base/files.h"
#include "server/cli/app.h"
#include "server/cli/commands.h"
#include "server/cli/tool_answer.h"

namespace ws::server {
namespace {

int report(int status, const std::string& text) {
  std::fputs((text + "\n").c_str(), stderr);
  return status;
}

/// Nothing is written over: the folder is new or empty.
Status check_folder(const std::filesystem::path& folder) {
  std::error_code code;
  if (!std::filesystem::exists(folder, code)) {
    return {};
  }
  if (!std::filesystem::is_directory(folder, code)) {
    return fail(ErrorCode::kConflict, "`" + folder.string() + "` is no folder");
  }
  if (!std::filesystem::is_empty(folder, code)) {
    return fail(ErrorCode::kConflict,
                "the folder `" + folder.string() + "` is not empty; give a new one");
  }
  return {};
}

Status make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return fail(ErrorCode::kIo, "cannot make the folder `" + folder.string() + "`", {},
                code.message());
  }
  return {};
}

Status write_files(const std::filesystem::path& folder, const Json& files) {
  for (const Json& file : files) {
    const std::string path = file.at("path");
    WS_CHECK(make_folder((folder / path).parent_path()));
    WS_CHECK(write_file(folder / path, file.at("text").get<std::string>()));
    std::fputs(((folder / path).string() + "\n").c_str(), stdout);
  }
  return {};
}

}  // namespace

int export_command(const ExportOptions& options) {
  if (const Status free = check_folder(options.folder); !free) {
    return report(kExitFailed, to_text(free.error()));
  }
  const Result<std::unique_ptr<App>> app = App::open(options.services);
  if (!app) {
    return report(kExitFailed, to_text(app.error()));
  }
  Json arguments = {{"action", "export"},
                    {"ref", options.ref},
                    {"as", options.form},
                    {"allow_unverified", options.allow_unverified}};
  if (!options.device.empty()) {
    arguments["device"] = options.device;
  }
  const std::string request = to_line(tool_request("workflow", std::move(arguments)));
  const ToolAnswer answer =
      read_tool_answer((*app)->server().handle(request, RequestContext{}).body);
  if (answer.status != kExitOk) {
    return report(answer.status, answer.text);
  }
  if (const Status written = write_files(options.folder, answer.content.at("files")); !written) {
    return report(kExitFailed, to_text(written.error()));
  }
  return report(kExitOk, answer.content.value("summary", ""));
}

}  // namespace ws::server
