// `config`: the settings by which a client finds this server.
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/private_files.h"
#include "server/cli/client_settings.h"
#include "server/cli/commands.h"

namespace ws::server {
namespace {

namespace fs = std::filesystem;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

/// The file that a chain of links ends at: a link is the user's, and stays.
fs::path behind_links(const fs::path& file) {
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  return error ? file : real;
}

/// Writes a file beside it and renames that: the client reads the old text or the new one.
Status replace_file(const fs::path& file, const std::string& text) {
  if (const std::error_code failed = make_private_folder(file.parent_path())) {
    return fail(ErrorCode::kIo, "cannot make the folder " + file.parent_path().string(), "",
                failed.message());
  }
  constexpr mode_t kOwnerOnly = 0600;
  constexpr mode_t kPermissions = 07777;
  struct stat old = {};
  const mode_t mode = ::stat(file.c_str(), &old) == 0 ? old.st_mode & kPermissions : kOwnerOnly;
  const fs::path fresh = file.string() + ".warpsmith-" + std::to_string(::getpid());
  const Fd made(::open(fresh.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwnerOnly));
  if (!made.valid()) {
    return fail_errno("open", "cannot write " + fresh.string());
  }
  Status status = write_file(fresh, text);
  if (status && (::fchmod(made.get(), mode) != 0 || ::fsync(made.get()) != 0 ||
                 ::rename(fresh.c_str(), file.c_str()) != 0)) {
    status = fail_errno("rename", "cannot replace " + file.string());
  }
  if (!status) {
    ::unlink(fresh.c_str());
  }
  return status;
}

/// Nothing: the user was not asked, as nobody sits at a terminal.
std::optional<bool> ask(const fs::path& file) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return std::nullopt;
  }
  std::fputs(("Write this into " + file.string() + "? [y/N] ").c_str(), stderr);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

Status configure(const ConfigOptions& options) {
  const ClientLink link{executable_path(), options.url, options.token};
  WS_TRY(const std::string entry, client_settings(options.client, link, ""));
  std::fputs(entry.c_str(), stdout);
  std::fflush(stdout);
  const fs::path named = client_file(options.client, options.folders);
  const fs::path file = behind_links(named);
  std::string present;
  if (fs::exists(file)) {
    WS_TRY(present, read_file(file));
  }
  Result<std::string> changed = client_settings(options.client, link, present);
  if (!changed) {
    Error error = changed.error();
    error.message = named.string() + ": " + error.message;
    return tl::unexpected(std::move(error));
  }
  if (*changed == present) {
    say(named.string() + " has these lines already");
    return {};
  }
  const std::optional<bool> wanted = options.write ? true : ask(named);
  if (!wanted.value_or(false)) {
    say("nothing was written" + (wanted ? "" : ": add --yes to put this into " + named.string()));
    return {};
  }
  WS_CHECK(replace_file(file, *changed));
  say("written into " + named.string() + "; start " + client_title(options.client) + " again");
  return {};
}

}  // namespace

int config_command(const ConfigOptions& options) {
  const Status status = configure(options);
  if (!status) {
    say(to_text(status.error()));
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace ws::server
