#include "tests/support/test_bench.h"

#include <utility>

#include <doctest/doctest.h>

#include "tests/support/test_tools.h"

namespace ws {
namespace {

class OneResource : public ResourceReader {
 public:
  Result<ResourceText> read(const std::string& uri) override {
    if (uri == "kernel://krn_a/source") {
      return ResourceText{uri, "text/x-cuda", "__global__ void a() {}", true};
    }
    if (uri == "job://job_b/log") {
      return ResourceText{uri, "text/plain", "caf\xe9", false};
    }
    if (!uri.starts_with("kernel://")) {
      return fail(ErrorCode::kInvalidArgument, "\"" + uri + "\" is not a URI of this server");
    }
    return fail(ErrorCode::kNotFound, "there is no resource " + uri);
  }

  [[nodiscard]] Json templates() const override {
    return Json::parse(R"([{"uriTemplate": "kernel://{id}/source", "name": "source"}])");
  }
};

}  // namespace

TestBench::TestBench()
    : resources_(std::make_unique<OneResource>()) {
  add_test_tools(registry_);
  REQUIRE(registry_.status().has_value());
  server::McpServer::Options options;
  options.version = "0.0.0";
  options.resources = resources_.get();
  options.check_output = true;
  server_ = std::make_unique<server::McpServer>(registry_, options);
}

server::Reply TestBench::send(const std::string& text) {
  server::RequestContext context;
  context.connection = &connection;
  context.notify = [this](std::string line) { notified.push_back(std::move(line)); };
  return server_->handle(text, context);
}

server::Reply TestBench::send_http(const std::string& text, const server::McpHeaders& headers) {
  server::RequestContext context;
  context.headers = &headers;
  context.notify = [this](std::string line) { notified.push_back(std::move(line)); };
  return server_->handle(text, context);
}

Json TestBench::call(const std::string& tool, const Json& arguments) {
  const Json reply = Json::parse(send(call_line(1, tool, arguments)).body);
  REQUIRE_MESSAGE(reply.contains("result"), reply.dump());
  return reply["result"];
}

std::string modern_meta() {
  const Json envelope = {{server::meta::kVersion, "2026-07-28"},
                         {server::meta::kCapabilities, Json::object()}};
  return R"("_meta":)" + envelope.dump();
}

std::string call_line(const Json& id, const std::string& tool, const Json& arguments,
                      const Json& progress_token) {
  Json envelope = {{server::meta::kVersion, "2026-07-28"},
                   {server::meta::kCapabilities, Json::object()}};
  if (!progress_token.is_null()) {
    envelope["progressToken"] = progress_token;
  }
  const Json message = {
      {"jsonrpc", "2.0"},
      {"id", id},
      {"method", "tools/call"},
      {"params", {{"name", tool}, {"arguments", arguments}, {"_meta", envelope}}}};
  return server::to_line(message);
}

}  // namespace ws
