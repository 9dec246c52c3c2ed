// Tests of the page's answers, without a connection.
#include "server/page/page.h"

#include <string>

#include <doctest/doctest.h>

#include "server/page/page_query.h"
#include "server/page/test_page.h"

namespace ws::server {
namespace {

std::string header_of(const HttpReply& reply, const std::string& name) {
  for (const auto& [own, value] : reply.headers) {
    if (own == name) {
      return value;
    }
  }
  return {};
}

struct RefusedPage {
  const char* path;
  int status;
  const char* error;
};

// clang-format off
constexpr RefusedPage kRefusedPages[] = {
    {"/page/assets/none.js", 404, "not_found: the page has no such part"},
    {"/page/assets/../index.html", 404, "not_found: the page has no such part"},
    {"/page/assets/", 404, "not_found: the page has no such part"},
    {"/page/", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/work", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/events", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/kernel", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/kernel/fast/none", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/problem/prb_mm/none", 404, "not_found: there is nothing at this address; begin at /"},
    {"/page/data/kernel/krn_0", 404, "not_found: no kernel `krn_0`; ids come from compile_kernel"},
    {"/page/data/kernel/prb_mm", 400, "invalid_argument: `prb_mm` names a problem, not a kernel; the id of a kernel begins with krn_"},
    {"/page/data/problem/prb_0", 404, "not_found: no problem `prb_0`; ids come from compile_kernel"},
    {"/page/data/evidence/evd_0", 404, "not_found: no evidence `evd_0`; evidence ids come from compile_kernel, validate and benchmark"},
    {"/page/data/kernel/krn_%3Cscript%3E", 404, "not_found: no kernel `krn_<script>`; ids come from compile_kernel"},
    {"/page/data/problems?mark=x", 400, "invalid_argument: no page ends at the mark `x`; use `next` of the page before, or none for the first page"},
    {"/page/data/problem/prb_mm/kernels?order=best", 400, "invalid_argument: `order` is passed, failed or newest"},
    {"/page/plain/none", 404, "not_found: there is nothing at this address; begin at /page/plain"},
    {"/page/plain/kernel/krn_0", 404, "not_found: no kernel `krn_0`; ids come from compile_kernel"},
};
// clang-format on

}  // namespace

TEST_SUITE("server.page") {
  TEST_CASE("an address is read with its percent signs, whole or broken") {
    CHECK(path_parts("kernel//a%40b%2Fc/%zz%4") ==
          std::vector<std::string>{"kernel", "a@b/c", "%zz%4"});
    CHECK(
        query_values("mark=1.5%3B2&mark=3&a&=b&c=d+e") ==
        std::map<std::string, std::string>{{"mark", "1.5;2"}, {"a", ""}, {"", "b"}, {"c", "d e"}});
  }

  TEST_CASE("every answer forbids scripts of others, and guesses of its type") {
    const PageBench bench;
    for (const char* path :
         {"/", "/page/assets/main.js", "/page/data/problems", "/page/data/none"}) {
      CAPTURE(std::string(path));
      const HttpReply reply = bench.get(path);
      CHECK(header_of(reply, "Content-Security-Policy") ==
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'");
      CHECK(header_of(reply, "X-Content-Type-Options") == "nosniff");
      CHECK(header_of(reply, "Referrer-Policy") == "no-referrer");
    }
    CHECK(header_of(bench.get("/page/plain"), "Content-Security-Policy") ==
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; "
          "form-action 'none'");
  }

  TEST_CASE("a part that the browser has is not sent again") {
    const PageBench bench;
    const HttpReply first = bench.get("/page/assets/main.js");
    CHECK(first.status == 200);
    CHECK(first.content_type == "text/javascript; charset=utf-8");
    CHECK(header_of(first, "Cache-Control") == "no-cache");
    const HttpReply again = bench.get("/page/assets/main.js", header_of(first, "ETag"));
    CHECK(again.status == 304);
    CHECK(again.body.empty());
    const std::string tag = header_of(first, "ETag");
    for (const std::string& held : {tag.substr(2), "\"other\" , " + tag, std::string("*")}) {
      CAPTURE(held);
      CHECK(bench.get("/page/assets/main.js", held).status == 304);
    }
    for (const std::string& held : {std::string("\"other\""), tag.substr(0, tag.size() - 1)}) {
      CAPTURE(held);
      CHECK(bench.get("/page/assets/main.js", held).status == 200);
    }
    CHECK(header_of(bench.get("/page/data/problems"), "Cache-Control") == "no-store");
  }

  TEST_CASE("what is not there, or not understood, is said") {
    const PageBench bench;
    for (const RefusedPage& c : kRefusedPages) {
      CAPTURE(std::string(c.path));
      const HttpReply reply = bench.get(c.path);
      CHECK(reply.status == c.status);
      CHECK(Json::parse(reply.body) == Json{{"error", c.error}});
    }
  }

  TEST_CASE("a problem says which kernel is the fastest, and gives the others by pages") {
    const PageBench bench;
    const Json problem = bench.data("problem/prb_mm");
    CHECK(problem["devices"] == Json{"cpu:0"});
    CHECK(problem["fastest"][0]["id"] == "fast");
    CHECK(problem["fastest"][0]["standings"][0]["speed"]["total"] == 3.0);
    CHECK(problem["rejected"] == Json::array());
    CHECK(problem["form"]["op"] == "matmul");
    const Json passed = bench.data("problem/prb_mm/kernels?order=passed&device=cpu%3A0");
    REQUIRE(passed["rows"].size() == 2);
    CHECK(passed["rows"][1]["id"] == "slow");
    CHECK_FALSE(passed.contains("next"));
    CHECK(bench.data("problem/prb_mm/kernels?order=newest")["rows"].size() == 2);
    const Json found = bench.data("search?words=commonWord");
    REQUIRE(found["rows"].size() == 1);
    CHECK(found["rows"][0]["problem_id"] == "prb_mm");
    CHECK(bench.data("search")["rows"] == Json::array());
  }

  TEST_CASE("a kernel has its source, its relatives, its labels and how to measure it again") {
    const PageBench bench;
    const test::Filled& filled = bench.filled;
    REQUIRE(filled.archive().put_label({"fast", "note", "<b>\x1b[31m"}).has_value());
    REQUIRE(filled.archive()
                .put_kernel({"made", "made", "prb_mm", "fast", R"({"source":"int x;\n"})", {}})
                .has_value());
    const Json kernel = bench.data("kernel/fast");
    CHECK(kernel["source"].get<std::string>().starts_with("struct A { int b; };"));
    CHECK(kernel["source_left_out"] == 0);
    CHECK(kernel["plan"] == Json{{"language", "cuda"}});
    CHECK(kernel["labels"][0]["text"] == "<b>\x1b[31m");
    const Json family = bench.data("kernel/made/family");
    CHECK(family["members"][0]["id"] == "fast");
    CHECK(family["members"][1]["parent"] == "fast");
    CHECK(family["cut"] == false);
    const Json diff = bench.data("kernel/made/diff?from=fast");
    CHECK(diff["added"] == 1);
    CHECK(diff["text"].get<std::string>().find("+int x;") != std::string::npos);
    const Json list = bench.data("kernel/fast/evidence");
    const std::string id = list["rows"][1]["id"];
    const Json evidence = bench.data("evidence/" + id);
    CHECK(evidence["verdict"] == "passed");
    CHECK(evidence["again"] ==
          R"(warpsmith call validate '{"kernel_id":"fast","repeat":")" + id + R"("}')");
    CHECK(Json::parse(evidence["record"].get<std::string>())["output"]["ratio"] == 1.0);
  }

  TEST_CASE("a long source and a long record are cut, and it says by how much") {
    const PageBench bench;
    const std::string source(std::size_t{300} << 10U, 'x');
    bench.filled.put("long", "prb_mm", source);
    const Json kernel = bench.data("kernel/long");
    CHECK(kernel["source"].get<std::string>().size() == std::size_t{256} << 10U);
    CHECK(kernel["source_left_out"] == std::size_t{44} << 10U);
    EvidenceRow row;
    row.kernel_id = "long";
    row.device = "cpu:0";
    row.kind = "tune";
    row.json = Json{{"seed", 18446744073709551615U}, {"text", std::string(2U << 20U, 'x')}}.dump();
    const auto id = bench.filled.archive().add_evidence(row);
    REQUIRE(id.has_value());
    const Json evidence = bench.data("evidence/" + *id);
    CHECK(evidence["record_bytes"] == row.json.size());
    CHECK_FALSE(evidence.contains("record"));
    row.json = R"({"seed":18446744073709551615})";
    const auto other = bench.filled.archive().add_evidence(row);
    REQUIRE(other.has_value());
    CHECK(bench.data("evidence/" + *other)["seed"] == "18446744073709551615");
  }

  TEST_CASE("the lists without scripts have links, and no markup of an author") {
    const PageBench bench;
    REQUIRE(bench.filled.archive()
                .put_kernel({"krn_evil",
                             "</a><script>alert(1)</script>",
                             "prb_mm",
                             {},
                             R"({"source":"x"})",
                             {}})
                .has_value());
    const HttpReply all = bench.get("/page/plain");
    CHECK(all.status == 200);
    CHECK(all.body.find("<a href=\"/page/plain/problem/prb_mm\">matmul</a>") != std::string::npos);
    const HttpReply one = bench.get("/page/plain/problem/prb_mm");
    CHECK(one.body.find("&lt;/a&gt;&lt;script&gt;alert(1)") != std::string::npos);
    CHECK(one.body.find("<script") == std::string::npos);
    CHECK(one.body.find("<td>cpu:0<td>passed<td>3.00x<td>") != std::string::npos);
  }

  TEST_CASE("the lists without scripts show the marks that nobody sees") {
    const PageBench bench;
    const std::string name = "a\xe2\x80\xae\xc2\x9b\xc2\xad\xf3\xa0\x80\x81\u00e9\xff";
    REQUIRE(bench.filled.archive()
                .put_kernel({"krn_marks", name, "prb_mm", {}, R"({"source":"// \u202e"})", {}})
                .has_value());
    const std::string list = bench.get("/page/plain/problem/prb_mm").body;
    CHECK(list.find(">a\\u202e\\u009b\\u00ad\\u{e0001}\u00e9?</a>") != std::string::npos);
    CHECK(list.find("\xe2\x80\xae") == std::string::npos);
  }

  TEST_CASE("a folder without a server has no devices") {
    const PageBench bench;
    CHECK(bench.data("devices") == Json{{"running", false}, {"devices", Json::array()}});
  }
}

}  // namespace ws::server
