#include <cstdio>
#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/base/files.h"
#include "runtime/tune/kernel_tuner.h"
#include "runtime/tune/t4_results.h"
#include "server/cli/commands.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxT1 = std::size_t{16} << 20U;

/// The journal with the most evaluations, of the device where one is named.
Result<std::string> export_cache(const TuneOptions& options) {
  WS_TRY(const auto archive, Archive::open(options.place));
  WS_TRY(const KernelRow kernel, archive->kernel(options.kernel));
  WS_TRY(const auto longest,
         tune::longest_journal(options.place.folder, kernel.id, options.device));
  if (!longest) {
    return fail(ErrorCode::kNotFound,
                "no tuning of " + kernel.id + " is recorded" +
                    (options.device.empty() ? "" : " on `" + options.device + "`"),
                "call the tool `tune` with it first");
  }
  return tune::kernel_tuner_cache(*longest, kernel.name) + "\n";
}

Result<std::string> import_space(const TuneOptions& options) {
  WS_TRY(const std::string text,
         read_file(options.file == "-" ? "/dev/stdin" : options.file, kMaxT1));
  WS_TRY(const tune::SpaceForm form, tune::read_t1(text));
  return tune::to_json_text(form) + "\n";
}

}  // namespace

int tune_command(const TuneOptions& options) {
  const Result<std::string> text =
      options.action == "export" ? export_cache(options) : import_space(options);
  if (!text) {
    std::fputs((to_text(text.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  std::fputs(text->c_str(), stdout);
  return kExitOk;
}

}  // namespace ws::server
