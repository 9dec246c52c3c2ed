#include "server/cli/http_client.h"

#include <dlfcn.h>

#include "runtime/base/files.h"

namespace ws::server {
namespace {

/// The library stays loaded.
Result<HttpPostFunction> load_post() {
  const std::string path = (executable_path().parent_path() / kHttpLibraryFile).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kHttpPostSymbol);
  if (symbol == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the command line loads nothing else meanwhile.
    const char* const why = ::dlerror();
    return fail(ErrorCode::kUnsupported, "the library that talks to servers cannot be loaded",
                "keep " + std::string(kHttpLibraryFile) + " beside the program", why);
  }
  return reinterpret_cast<HttpPostFunction>(symbol);
}

}  // namespace

Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body) {
  const std::size_t path = url.find('/', std::string("http://").size());
  if (!url.starts_with("http://") || path == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "\"" + url + "\" is not a server's URL",
                "such as http://127.0.0.1:7411/mcp");
  }
  WS_TRY(const HttpPostFunction post, load_post());
  HttpAnswer answer;
  std::string reason;
  post({url.substr(0, path), url.substr(path), headers, body}, answer, reason);
  if (!reason.empty()) {
    return fail(ErrorCode::kIo, "no answer from " + url,
                "start it with: warpsmith serve --http HOST:PORT", reason);
  }
  return answer;
}

}  // namespace ws::server
