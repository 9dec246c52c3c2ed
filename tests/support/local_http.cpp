#include "tests/support/local_http.h"

#include <doctest/doctest.h>
#include <unistd.h>

namespace ws {

LocalHttp::LocalHttp(const server::McpServer& server, server::HttpLimits limits) {
  auto opened = server::HttpTransport::open(server, {"127.0.0.1", 0, true}, std::nullopt, limits);
  REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
  transport_ = *std::move(opened);
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  stopped_ = Fd(ends[0]);
  stop_ = Fd(ends[1]);
  serving_ = std::thread([this] { idle_ = transport_->run(stopped_.get()); });
}

LocalHttp::~LocalHttp() {
  REQUIRE(::write(stop_.get(), "x", 1) == 1);
  serving_.join();
  CHECK(idle_);
}

}  // namespace ws
