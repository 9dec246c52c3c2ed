// ws_fake_gpu_server serve --stdio --log-level LEVEL --data DIR GPUS: the real tools on GPUs of the
// fake driver, started as warpsmith is.
#include <cstdio>
#include <cstdlib>
#include <string>

// The code that makes the fake GPUs has assertions for tests; here none of them runs.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "server/cli/app.h"
#include "server/transport/stdio_transport.h"
#include "tests/support/fake_gpus.h"

namespace ws {
namespace {

int serve(const std::string& data, int gpus) {
  ServicesOptions options;
  options.data_dir = data;
  options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  options.make_gpus = [gpus] { return test::fake_gpus(gpus); };
  const auto app = server::App::open(options);
  const Result<Fd> out = app ? server::take_stdout() : fail(app.error());
  if (!out) {
    std::fputs(to_text(out.error()).c_str(), stderr);
    return 1;
  }
  return server::StdioTransport((*app)->server(), STDIN_FILENO, out->get(), -1).run() ? 0 : 3;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
  constexpr int kArguments = 8;
  constexpr int kData = 6;
  return argc == kArguments ? ws::serve(argv[kData], std::atoi(argv[kArguments - 1])) : 2;
}
