#include "runtime/archive/store/postgres_store.h"

#include <algorithm>
#include <string_view>

#include <dlfcn.h>

#include "runtime/archive/postgres/boundary.h"
#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/notices.h"
#include "runtime/base/files.h"
#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr const char* kUrlForm = "write postgres://USER@HOST:PORT/DATABASE";

tl::unexpected<Error> bad_url(const std::string& option, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "the URL of " + option + " " + what, kUrlForm);
}

/// All users of a machine may read the command lines of its processes.
tl::unexpected<Error> has_password(const std::string& option) {
  return fail(ErrorCode::kInvalidArgument,
              "the URL of " + option + " has a password in it, which others could read",
              "leave it out, and put it into ~/.pgpass or the file that PGPASSFILE names");
}

/// Whether a URL without its scheme begins with USER:PASSWORD@. For libpq that ends at the first @
/// or
/// /, so there may be a ? in it.
bool names_password(std::string_view rest) {
  const auto is_behind_colon = [&](std::size_t at) {
    return at != rest.npos && rest.substr(0, at).find(':') != rest.npos;
  };
  const std::size_t end = rest.find_first_of("@/");
  const bool by_libpq = end != rest.npos && rest[end] == '@' && is_behind_colon(end);
  // One with a slash is meant as a password too.
  return by_libpq || is_behind_colon(rest.substr(0, rest.find('?')).rfind('@'));
}

/// The names before `=` of what follows a `?`.
Status check_parameters(std::string_view query, const std::string& option) {
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    const std::string_view key = field.substr(0, field.find('='));
    if (key.ends_with("password")) {
      return has_password(option);
    }
    if (key.empty() || key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != key.npos) {
      return bad_url(option, "has a parameter whose name is not made of letters and _");
    }
    query.remove_prefix(std::min(field.size() + 1, query.size()));
  }
  return {};
}

/// A function of the library, which stays loaded.
template <typename Function>
Result<Function> library_function(const char* name) {
  const std::string path = (executable_path().parent_path() / kPostgresLibraryFile).string();
  // Loading it again counts it once more, and costs next to nothing.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, name);
  if (symbol == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps a message for each thread.
    const char* const why = ::dlerror();
    return fail(ErrorCode::kUnsupported, "the library that talks to PostgreSQL cannot be loaded",
                "install libpq5, and keep " + std::string(kPostgresLibraryFile) +
                    " beside the program; it is built where libpq-dev is installed",
                why == nullptr ? "" : why);
  }
  return reinterpret_cast<Function>(symbol);
}

Result<PostgresTarget> target_of(const std::string& url) {
  WS_TRY(std::string name, store_name(url));
  return PostgresTarget{
      .url = url, .name = std::move(name), .viewer = [] { return current_viewer().owner; }};
}

}  // namespace

Result<std::string> store_name(const std::string& url) {
  return store_name_of(url, "--store");
}

Result<std::string> store_name_of(const std::string& url, const std::string& option) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos ||
      (url.substr(0, scheme) != "postgres" && url.substr(0, scheme) != "postgresql")) {
    return bad_url(option, "does not begin with postgres://");
  }
  const std::size_t query = std::min(url.find('?'), url.size());
  if (names_password(std::string_view(url).substr(scheme + 3))) {
    return has_password(option);
  }
  if (url.find_first_of(" \t\n'\"\\`") != std::string::npos) {
    return bad_url(option, "has a blank, a quote or a backslash in it");
  }
  if (query < url.size()) {
    WS_CHECK(check_parameters(std::string_view(url).substr(query + 1), option));
  }
  return url.substr(0, query);
}

Result<Connection> open_postgres(const std::string& url) {
  WS_TRY(const PostgresTarget target, target_of(url));
  WS_TRY(const auto connect, library_function<PostgresConnectFunction>(kPostgresConnectSymbol));
  std::unique_ptr<ConnectionEngine> engine;
  Error error;
  connect(target, engine, error);
  if (engine == nullptr) {
    return fail(std::move(error));
  }
  return Connection(std::move(engine));
}

Result<std::unique_ptr<NoticeEngine>> listen_postgres(const std::string& url,
                                                      const std::string& channel) {
  WS_TRY(const PostgresTarget target, target_of(url));
  WS_TRY(const auto listen, library_function<PostgresListenFunction>(kPostgresListenSymbol));
  std::unique_ptr<NoticeEngine> listener;
  Error error;
  listen(target, channel, listener, error);
  if (listener == nullptr) {
    return fail(std::move(error));
  }
  return listener;
}

}  // namespace ws
