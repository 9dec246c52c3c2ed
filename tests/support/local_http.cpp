#include "tests/support/local_http.h"

#include <utility>

#include <doctest/doctest.h>
#include <unistd.h>

namespace ws {

LocalHttp::LocalHttp(const server::McpServer& server, server::HttpLimits limits,
                     server::OperatorPages pages, std::shared_ptr<server::Gate> gate,
                     std::shared_ptr<const server::TlsContext> tls,
                     std::shared_ptr<const server::ProtectedResource> resource) {
  auto opened = server::HttpTransport::open(
      server, {.address = server::ListenAddress{"127.0.0.1", 0, true}, .tls = std::move(tls)},
      {.gate = std::move(gate),
       .limits = limits,
       .pages = std::move(pages),
       .resource = std::move(resource)});
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
