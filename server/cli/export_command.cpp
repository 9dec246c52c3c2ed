#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "runtime/archive/store/archive.h"
#include "runtime/base/files.h"
#include "runtime/handover/stored.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

/// @errors kInvalidArgument: the folder has files already; kIo.
Status make_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    return fail(ErrorCode::kInvalidArgument, "`" + folder.string() + "` is not empty",
                "name a folder that is not there yet");
  }
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::kIo, "`" + folder.string() + "` cannot be made", {}, error.message());
  }
  return {};
}

Result<std::string> write_files(const ExportOptions& options) {
  WS_TRY(const auto archive, Archive::open(options.data_dir));
  const HandoverForm form = *handover_form_of(options.as);  // The command line takes no other word.
  WS_TRY(const HandedKernel handed,
         hand_over_stored(*archive, options.ref, form, options.allow_unverified));
  WS_CHECK(make_empty_folder(options.folder));
  for (const HandedFile& file : handed.files) {
    const std::filesystem::path path = options.folder / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    WS_CHECK(write_file(path, file.text));
  }
  return std::to_string(handed.files.size()) + " files of " + handed.kernel_id + " are in `" +
         options.folder.string() + "`\n";
}

}  // namespace

int export_command(const ExportOptions& options) {
  const Result<std::string> told = write_files(options);
  if (!told) {
    std::fputs((to_text(told.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  std::fputs(told->c_str(), stdout);
  return kExitOk;
}

}  // namespace ws::server
