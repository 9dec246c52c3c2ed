#include "tests/support/operated.h"

#include <chrono>

#include <doctest/doctest.h>

#include "runtime/base/test_metrics.h"
#include "tests/support/test_bench.h"

namespace ws::test {
namespace {

server::McpServer::Options talking() {
  server::McpServer::Options options;
  options.talks = true;
  return options;
}

}  // namespace

HttpResponse ask_server(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

HttpResponse get_from(int port, const std::string& path, const std::string& headers) {
  return ask_server(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

HttpResponse send_order(int port, const Json& order) {
  const std::string body = order.dump();
  return ask_server(port,
                    "POST /admin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
}

OperatedServer::OperatedServer()
    : server_(bench_.registry(), talking()),
      operation_(opened(bench_.services(), server_)),
      http_(server_, {}, operation_->pages()) {}

std::unique_ptr<server::Operation> OperatedServer::opened(Services& services,
                                                          const server::McpServer& server) {
  auto operation = server::Operation::open(services, server, "1.2.3");
  REQUIRE(operation.has_value());
  return *std::move(operation);
}

std::string OperatedServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port()) + "/mcp";
}

std::map<std::string, double> OperatedServer::metrics() const {
  const HttpResponse response = get_from(port(), "/metrics");
  REQUIRE(response.status == 200);
  CHECK(response.headers.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  return read_metrics(response.body);
}

Json OperatedServer::call(const std::string& tool, const Json& arguments) const {
  const HttpResponse response =
      ask_server(port(), post_request(call_line(1, tool, arguments), modern_headers(tool)));
  const Json reply = Json::parse(response.body);
  REQUIRE(reply.contains("result"));
  return reply["result"];
}

LongJob::LongJob(JobQueue& queue)
    : queue_(queue) {
  const auto submitted =
      queue.submit({.lanes = {"cpu:0"}, .tool = "validate", .caller = {.client = "10.0.0.7 ann"}},
                   [this](CallContext& context) { return run(context); });
  REQUIRE(submitted.has_value());
  id_ = *submitted;
  started_.get_future().wait();
}

LongJob::~LongJob() {
  end_.set_value();
  CHECK(queue_.wait(id_, std::chrono::seconds(10), {}).has_value());
}

Result<std::string> LongJob::run(const CallContext& context) {
  context.report(0.25, "run 1 of 4");
  started_.set_value();
  while (ended_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::kCancelled, "stopped");
    }
  }
  return std::string("{}");
}

}  // namespace ws::test
