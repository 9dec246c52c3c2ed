// `warpsmith report`: a page about a kernel.
#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/line_store.h"
#include "runtime/base/files.h"
#include "runtime/base/temp_folder.h"
#include "runtime/lineage/kernel_page.h"
#include "tests/support/child.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

std::string page_of(ToolBench& bench, const std::string& id) {
  const auto lines = LineStore::open(bench.services().options.data_dir);
  REQUIRE(lines.has_value());
  const auto page = kernel_page(*bench.services().archive, **lines, id, "");
  REQUIRE_MESSAGE(page.has_value(), to_text(page.error()));
  return *page;
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("the page has the kernel, its line, what is known, and how to check it") {
    ToolBench bench;
    const std::string first = bench.compiled(twice_problem(), good_kernel());
    const std::string id = bench.result(
        "compile_kernel",
        {{"base", first},
         {"edits",
          Json::array({{{"op", "insert"}, {"from", 1}, {"text", "// if (n > i)"}}})}})["kernel_id"];
    const Json passed =
        bench.result("validate", {{"kernel_id", id}, {"level", "quick"}, {"device", "cpu:0"}});
    REQUIRE(passed["verdict"] == "passed");
    const std::string page = page_of(bench, id);
    CHECK(page.find("<td>validate<td class=\"good\">passed<td>cpu:0<td>") != std::string::npos);
    CHECK(page.find("<td>1<td>edit<td><code>" + id + "</code>") != std::string::npos);
    CHECK(page.find("+// if (n &gt; i)") != std::string::npos);
    CHECK(page.find("{&quot;kernel_id&quot;:&quot;" + id + "&quot;,&quot;repeat&quot;:&quot;" +
                    passed["evidence_id"].get<std::string>() + "&quot;}") != std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.ends_with("</body></html>\n"));
  }

  TEST_CASE("text of a client is shown, and cannot be markup") {
    ToolBench bench;
    Json kernel = good_kernel();
    kernel["source"] = kernel["source"].get<std::string>() +
                       "\n// </pre><script>alert(1)</script><img src=x onerror=alert(2)>\n";
    const std::string page = page_of(bench, bench.compiled(twice_problem(), kernel));
    CHECK(page.find("// &lt;/pre&gt;&lt;script&gt;alert(1)") != std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("<img") == std::string::npos);
  }

  TEST_CASE("the command says what is not there or cannot be written") {
    ToolBench bench;
    const std::string data = bench.services().options.data_dir.string();
    const std::string id = bench.compiled(twice_problem(), good_kernel());
    const auto folder = TempFolder::make();
    REQUIRE(folder.has_value());
    const auto run = [&](const std::string& ref, const std::string& file) {
      Child child("warpsmith", {"report", ref, "-o", file, "--data", data});
      const std::string errors = child.errors();
      const int status = child.wait(std::chrono::seconds(60)).value_or(-1);
      return std::to_string(status) + " " + errors;
    };
    const std::string file = (*folder)->path() / "kernel.html";
    CHECK(run(id, file) == "0 ");
    CHECK(std::filesystem::file_size(file) > 3000);
    CHECK(run("krn_none_0123456789abcdef0123456789abcdef", file) ==
          "1 not_found: no kernel `krn_none_0123456789abcdef0123456789abcdef`; ids come from "
          "compile_kernel\n");
    CHECK(run(id, "/proc/nothing/kernel.html") ==
          "1 io: cannot write /proc/nothing/kernel.html (write: No such file or directory)\n");
  }
}

}  // namespace ws::test
