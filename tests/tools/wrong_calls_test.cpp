// Runs tests/golden/wrong_calls.txt: calls as models send them, and the whole answers.
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

void put_for(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

struct Known {
  std::string kernel;
  std::string problem;
  std::string arch;
};

Json arguments_of(std::string text, const Known& known) {
  put_for(text, "{kernel}", known.kernel);
  put_for(text, "{problem}", known.problem);
  put_for(text, "<kernel>", good_kernel().dump());
  put_for(text, "<problem>", twice_problem().dump());
  const std::size_t plus = text.find("} + {");
  Json arguments = Json::parse(text.substr(0, plus == std::string::npos ? plus : plus + 1));
  if (plus != std::string::npos) {
    arguments.merge_patch(Json::parse(text.substr(plus + 4)));
  }
  return arguments;
}

/// The answer in lines: an error's text, or a result's verdict and what is said of the source.
std::string answer_to(const std::string& tool, const Json& arguments, const Known& known) {
  const Result<Json> output = tools().call(tool, arguments);
  std::string text = output ? "= " + output->value("verdict", "") : "< " + to_text(output.error());
  if (output && output->contains("diagnostics")) {
    for (const Json& row : (*output)["diagnostics"]) {
      text += "\n" + row["region"].get<std::string>() + ":" + std::to_string(row.value("line", 0)) +
              ": " + row["message"].get<std::string>();
    }
  }
  put_for(text, known.kernel, "{kernel}");
  put_for(text, known.problem, "{problem}");
  put_for(text, " " + known.arch + ",", " {arch},");
  put_for(text, "\n", "\n  ");
  return text + "\n";
}

}  // namespace

TEST_SUITE("tools.wrong_calls") {
  TEST_CASE("a wrong call gets an answer that a model can act on, as it was last reviewed") {
    const auto recorded = read_file(source_dir() / "tests/golden/wrong_calls.txt");
    REQUIRE(recorded.has_value());
    Known known;
    known.kernel = tools().compiled(twice_problem(), good_kernel());
    known.problem = tools().result("compile_kernel", {{"kernel_id", known.kernel}})["problem_id"];
    known.arch = tools().result("list_devices", Json::object())["devices"][0]["arch"];
    std::istringstream lines(*recorded);
    std::string replayed;
    int calls = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#")) {
        replayed += line + "\n";
      } else if (line.starts_with("> ")) {
        const std::size_t space = line.find(' ', 2);
        const std::string tool = line.substr(2, space - 2);
        CAPTURE(line);
        replayed += line + "\n";
        replayed += answer_to(tool, arguments_of(line.substr(space + 1), known), known);
        ++calls;
      }
    }
    CHECK(calls >= 60);
    check_golden("tests/golden/wrong_calls.txt", replayed);
  }

  TEST_CASE("a corrected problem keeps what came before its kernels") {
    const std::string first = tools().compiled(twice_problem(), good_kernel());
    Json corrected = twice_problem();
    corrected["dims"]["n"] = {{"values", {1000}}, {"min", 1}, {"max", 2048}};
    const Json moved = tools().result("compile_kernel", {{"base", first}, {"problem", corrected}});
    CHECK(moved["verdict"] == "compiled");
    CHECK(moved["parent"] == first);
    const std::string id = moved["kernel_id"];
    CHECK(id != first);
    CHECK(tools().result("validate", {{"kernel_id", id}})["verdict"] == "passed");
    const Json log = tools().result("workflow", {{"action", "log"}, {"ref", id}});
    CHECK(log.dump().find(first) != std::string::npos);
    // The root that times are compared with is the first one of the same problem.
    const Json timed = tools().result("benchmark", {{"kernel_id", id}, {"time_budget_ms", 50}});
    CHECK(timed["verdict"] != "invalid");
    CHECK(tools().refusal("compile_kernel", {{"kernel_id", first}, {"problem", corrected}}) ==
          "conflict: the kernel belongs to " +
              tools()
                  .result("compile_kernel", {{"kernel_id", first}})["problem_id"]
                  .get<std::string>() +
              ", not to " + moved["problem_id"].get<std::string>() +
              "; leave the problem out, or send the kernel as `base` to carry it over to this one");
  }
}

}  // namespace ws::test
