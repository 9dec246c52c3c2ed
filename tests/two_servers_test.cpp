// Two real servers on one data folder at the same time.
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "server/cli/stdio_client.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr int kRounds = 6;

/// The answers of one of the servers; errors as texts.
struct Told {
  std::set<std::string> kernels;
  std::map<std::string, std::string> evidence;  ///< Id to kernel.
  std::vector<std::string> errors;
};

/// Kernels with an even number are the same for both.
Json numbered_kernel(int server, int number) {
  const int own = number % 2 == 0 ? number : 100 * (server + 1) + number;
  return twice_kernel("  if (i < n) y[i] = 2 * x[i];  // " + std::to_string(own));
}

void use(server::StdioClient& client, int server, Told& told) {
  const auto call = [&](const char* tool, Json arguments) {
    arguments["device"] = "cpu:0";
    const Result<Json> answer = client.call_tool(tool, std::move(arguments), {});
    if (!answer) {
      told.errors.push_back(std::string(tool) + ": " + to_text(answer.error()));
      return Json::object();
    }
    if (answer->contains("evidence_id")) {
      told.evidence[(*answer)["evidence_id"]] = (*answer)["kernel_id"];
    }
    return *answer;
  };
  for (int i = 0; i < kRounds; ++i) {
    const Json compiled = call(
        "compile_kernel", {{"problem", twice_problem()}, {"kernel", numbered_kernel(server, i)}});
    const std::string kernel = compiled.value("kernel_id", "");
    told.kernels.insert(kernel);
    if (call("validate", {{"kernel_id", kernel}})["verdict"] != "passed") {
      told.errors.push_back(kernel + " did not pass");
    }
    if (i < 2) {
      call("benchmark",
           {{"kernel_id", kernel}, {"time_budget_ms", 100}, {"baseline", "reference"}});
    }
  }
}

}  // namespace

TEST_SUITE("server.two") {
  TEST_CASE("two servers share a data folder: nothing is lost, and no kernel is there twice") {
    const TestFolder folder;
    const std::string program = std::string(WS_BINARY_DIR) + "/warpsmith";
    std::array<Told, 2> told;
    {
      std::array<Result<std::unique_ptr<server::StdioClient>>, 2> clients = {
          server::StdioClient::start(program, {"--data", folder.path().string()}),
          server::StdioClient::start(program, {"--data", folder.path().string()})};
      std::vector<std::jthread> threads;
      for (int i = 0; i < 2; ++i) {
        auto& client = clients.at(static_cast<std::size_t>(i));
        REQUIRE_MESSAGE(client.has_value(), to_text(client.error()));
        threads.emplace_back([&, i] { use(**client, i, told.at(static_cast<std::size_t>(i))); });
      }
    }
    auto archive = Archive::open(folder.path());
    REQUIRE(archive.has_value());
    std::set<std::string> kernels;
    std::set<std::string> validated;
    for (const Told& one : told) {
      for (const std::string& error : one.errors) {
        FAIL_CHECK(error);
      }
      kernels.insert(one.kernels.begin(), one.kernels.end());
      for (const auto& [id, kernel] : one.evidence) {
        const auto row = (*archive)->evidence(id);
        REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
        CHECK(row->kernel_id == kernel);
        validated.insert(row->kind == "validate" ? kernel : "");
      }
    }
    CHECK(kernels.size() == kRounds / 2 + 2 * (kRounds / 2));
    validated.erase("");
    CHECK(validated == kernels);
    const auto check = (*archive)->check();
    REQUIRE(check.has_value());
    CHECK(check->kernels == kernels.size());
    CHECK(check->problems == 1);
    CHECK(check->damaged == 0);
    CHECK(check->misindexed == 0);
  }
}

}  // namespace ws::test
