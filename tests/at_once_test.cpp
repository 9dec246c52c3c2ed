// Calls whose answer waits for nothing are answered by the thread that reads requests.
#include <latch>

#include <doctest/doctest.h>

#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// The answer of work that does not wait.
server::Reply reply_of(const server::Accepted& accepted) {
  server::Reply reply;
  accepted.work([&reply](server::Reply own) { reply = std::move(own); });
  return reply;
}

}  // namespace

TEST_SUITE("server.at_once") {
  TEST_CASE("list_devices is answered at once when the devices have said what they are") {
    const ToolBench bench(2);
    const server::McpServer server(bench.registry(), {});
    server::StdioConnection connection;
    server::RequestContext context;
    context.connection = &connection;
    const auto accept = [&](const std::string& tool, const Json& arguments) {
      return server.accept(call_line(7, tool, arguments), context);
    };
    const server::Accepted first = accept("list_devices", Json::object());
    CHECK_FALSE(first.reply.has_value());
    REQUIRE(first.work);
    const std::string answer = reply_of(first).body;
    const server::Accepted second = accept("list_devices", Json::object());
    REQUIRE(second.reply.has_value());
    CHECK(second.reply->body == answer);
    CHECK_FALSE(second.work);
    CHECK(accept("list_devices", Json::object()).reply->body == answer);  // As it was written.
    const Json one = {{"detail", "full"}, {"device", "cpu:0"}};
    const std::string of_one = accept("list_devices", one).reply->body;
    CHECK(of_one != answer);
    CHECK(accept("list_devices", one).reply->body == of_one);
    const server::Accepted refused = accept("list_devices", {{"device", "cuda:9"}});
    REQUIRE(refused.work);
    CHECK(reply_of(refused).body.find("no device `cuda:9`") != std::string::npos);

    // A job that waits is a change that is seen.
    std::latch begun(1);
    std::latch over(1);
    const auto id = bench.services().jobs->submit("cpu:0", "test", "",
                                                  [&](CallContext& /*own*/) -> Result<std::string> {
                                                    begun.count_down();
                                                    over.wait();
                                                    return std::string("{}");
                                                  });
    REQUIRE(id.has_value());
    begun.wait();
    const std::string busy = accept("list_devices", Json::object()).reply->body;
    CHECK(busy.find(R"("queue_length":1)") != std::string::npos);
    CHECK(accept("list_devices", one).reply->body.find(R"("queue_length":1)") != std::string::npos);
    over.count_down();
    REQUIRE(bench.services().jobs->wait(*id, std::chrono::seconds(10), {}).has_value());
    CHECK(accept("list_devices", Json::object()).reply->body == answer);

    const server::Accepted slow = accept("job", {{"job_id", "job_x"}, {"action", "status"}});
    CHECK_FALSE(slow.reply.has_value());
    REQUIRE(slow.work);
    CHECK(reply_of(slow).body.find("isError") != std::string::npos);
  }
}

}  // namespace ws::test
