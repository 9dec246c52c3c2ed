// `warpsmith archive`: out of one archive into another, and what is refused on the way.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/base/viewer.h"
#include "tests/support/archive_runs.h"

namespace ws::test {

TEST_SUITE("archive_command") {
  TEST_CASE("an archive goes out and into another one, where it claims but does not count") {
    const TestFolder from;
    const TestFolder to;
    const std::string id = fill_with_kernel(from);
    CHECK(run_archive(from, {"tag", "best@main", "keep.me"}).out == id + " has the tag now\n");
    const std::string file = (from.path() / "lines.jsonl").string();
    CHECK(run_archive(from, {"export", file}).out == "7 lines written to " + file + "\n");
    const Ended first = run_archive(to, {"import", file});
    CHECK(first.out == "7 lines: 6 rows added, 0 were there, 0 refused\n");
    CHECK(first.status == 0);
    CHECK(run_archive(to, {"import", file}).out ==
          "7 lines: 0 rows added, 6 were there, 0 refused\n");
    CHECK(run_archive(from, {"import", file}).out ==
          "7 lines: 0 rows added, 6 were there, 0 refused\n");
    const auto archive = Archive::open(to.path());
    REQUIRE(archive.has_value());
    CHECK((*archive)->kernel("best@main")->id == id);
    CHECK_FALSE((*archive)->latest_evidence(id, {}, "validate").value().has_value());
    SearchRequest request;
    request.words = {"keep", "me"};
    CHECK((*archive)->search(request)->hits.empty());
    CHECK((*archive)->search(request)->unverified == 1);
    CHECK(run_archive(to, {"export", "-"}).out == read_file(file).value());
  }

  TEST_CASE("lines that cannot be taken are refused by number, and the others are taken") {
    const TestFolder data;
    const std::string id = fill_with_kernel(data);
    const TestFolder to;
    const std::string lines = run_archive(data, {"export", "-"}).out;
    const std::string problem_id = (*Archive::open(data.path()))->kernel(id)->problem_id;
    std::string other = id;
    other.back() = other.back() == '0' ? '1' : '0';
    std::string forged = lines.substr(lines.find(R"({"form":{"language")"));
    forged = forged.substr(0, forged.find('\n') + 1);
    forged.replace(forged.find(id), id.size(), other);
    const std::string bad = file_in(
        data, "bad.jsonl",
        lines + "nonsense\n" + R"({"type":"kernel"})" + "\n" + R"({"type":"wish"})" + "\n" +
            forged + R"({"type":"kernel","id":"x","problem_id":"prb_x","form":{}})" + "\n" +
            std::string(10 << 20, 'x') + "\n\n" + R"({"definition":"d","sources":[],"spec":{}})" +
            "\n" +
            R"({"definition":"d","workload":{"axes":{},"inputs":{"q":{"type":"safetensors"}}},"solution":"s"})" +
            "\n" + R"({"type":"label","kernel_id":")" + id + R"(","kind":"order","text":"x"})" +
            "\n" +
            R"({"type":"evidence","id":"evd_1","kernel_id":"krn_none","device":"d","kind":"validate","verdict":"passed"})" +
            "\n");
    const Ended ended = run_archive(to, {"import", bad});
    CHECK(ended.status == 1);
    CHECK(ended.out ==
          "17 lines: 5 rows added, 0 were there, 10 refused\n"
          "line 7: invalid_argument: not a JSON object\n"
          "line 8: invalid_argument: line: field `id` is missing\n"
          "line 9: invalid_argument: line.type: expected archive, problem, kernel, evidence, label "
          "or ref, got \"wish\"\n"
          "line 10: invalid_argument: the id " +
              other + " is not that of its content, " + id +
              "\n"
              "line 11: not_found: no problem `prb_x`; ids come from compile_kernel\n"
              "line 12: invalid_argument: longer than 4 MiB, the limit of a source\n"
              "line 14: unsupported: a solution brings host code; a kernel needs `launches`; "
              "`warpsmith import flashinfer` reads it beside its definition\n"
              "line 15: unsupported: workload input `q` is a tensor in a file, which is not "
              "supported\n"
              "line 16: invalid_argument: line.kind: expected \"note\" or \"tag\", got \"order\"\n"
              "line 17: not_found: no kernel `krn_none`; ids come from compile_kernel\n");
  }

  TEST_CASE("lines of a newer program are refused as a whole") {
    const TestFolder data;
    const std::string file = file_in(data, "new.jsonl", "{\"type\":\"archive\",\"version\":2}\n");
    const Ended ended = run_archive(data, {"import", file});
    CHECK(ended.status == 1);
    CHECK(ended.err ==
          "io: a newer warpsmith wrote this: version 2 of the lines, this one reads up "
          "to 1\n");
  }

  TEST_CASE("a definition becomes a problem once a workload gives its sizes") {
    const TestFolder data;
    const std::string file = file_in(
        data, "bench.jsonl",
        R"({"name":"scale_h64","op_type":"scale","axes":{"h":{"type":"const","value":64},"b":{"type":"var"}},)"
        R"("inputs":{"x":{"shape":["b","h"],"dtype":"float32"}},"outputs":{"y":{"shape":["b","h"],"dtype":"float32"},"a":{"shape":["b"],"dtype":"float16"}},)"
        R"("reference":"def run(x):\n    return 2 * x\n"})"
        "\n"
        R"({"definition":"scale_h64","workload":{"uuid":"u","axes":{"b":8},"inputs":{"x":{"type":"random"}}},"solution":null,"evaluation":null})"
        "\n"
        R"({"definition":"scale_h64","workload":{"axes":{"b":8}},"solution":"fast","evaluation":{"status":"PASSED"}})"
        "\n");
    const Ended ended = run_archive(data, {"import", file, "--json"});
    CHECK(ended.out ==
          R"({"action":"import","lines":3,"added":1,"known":0,"refused":1,"refusals":["line 3: )"
          R"(not_found: solution `fast` is no kernel of this archive"]})"
          "\n");
    const std::string lines = run_archive(data, {"export", "-"}).out;
    CHECK(lines.find(R"(out = run(*(inputs[name] for name in (\"x\", ))))") != std::string::npos);
    CHECK(lines.find(R"(zip((\"y\", \"a\", ), out if)") != std::string::npos);
  }

  TEST_CASE("tuning results are claims about a kernel that has their parameters") {
    const TestFolder data;
    const std::string id = fill_with_kernel(data);
    const std::string cache = file_in(
        data, "cache.json",
        R"({"device_name":"X","kernel_name":"k","tune_params_keys":["BM"],"cache":{"16":{"BM":16,"time":1.5}}})");
    CHECK(run_archive(data, {"import", cache, "--kernel", id}).out ==
          "1 lines: 0 rows added, 0 were there, 1 refused\nline 1: invalid_argument: " + id +
              " has no parameter `BM`\n");
    const Ended wrong =
        run_archive(data, {"import", file_in(data, "x.json", "[]"), "--kernel", id});
    CHECK(wrong.status == 2);
    CHECK(wrong.err ==
          "invalid_argument: neither a tuning cache of Kernel Tuner (`cache`) nor T4 results "
          "(`results`)\n");
  }

  TEST_CASE("what changes an archive is in the audit log that is named, and nothing else") {
    const TestFolder from;
    const TestFolder to;
    const std::string id = fill_with_kernel(from);
    const std::string file = (from.path() / "lines.jsonl").string();
    const std::string log = (from.path() / "audit.jsonl").string();
    const auto audited = [&](const TestFolder& data, std::vector<std::string> words) {
      words.insert(words.end(), {"--audit", log});
      return run_archive(data, words).status;
    };
    const auto last = [&] {
      const std::string text = read_file(log).value_or("\n");
      Json line = Json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
      CHECK(line.erase("time") == 1);
      CHECK(line.erase("user") == 1);
      CHECK(line["event"] == "archive");
      return line;
    };
    CHECK(audited(from, {"tag", "best@main", "keep.me"}) == 0);
    CHECK(last() == Json{{"event", "archive"},
                         {"action", "tag"},
                         {"kernel_id", id},
                         {"text", "keep.me"},
                         {"outcome", "ok"}});
    REQUIRE(run_archive(from, {"export", file}).status == 0);
    CHECK(audited(to, {"import", file}) == 0);
    CHECK(last() == Json{{"event", "archive"},
                         {"action", "import"},
                         {"lines", 7},
                         {"added", 6},
                         {"known", 0},
                         {"refused", 0},
                         {"outcome", "ok"}});
    CHECK(audited(to, {"import", "/nowhere"}) == 1);
    CHECK(last() == Json{{"event", "archive"}, {"action", "import"}, {"outcome", "io"}});
    CHECK(audited(to, {"gc", "--delete"}) == 0);
    CHECK(last()["action"] == "gc");
    const std::string before = read_file(log).value_or("");
    CHECK(audited(to, {"gc"}) == 0);
    CHECK(audited(to, {"migrate", "--dry-run"}) == 0);
    CHECK(read_file(log).value_or("") == before);
    const Ended unwritable = run_archive(to, {"import", file, "--audit", "/nowhere/audit"});
    CHECK(unwritable.status == 1);
    CHECK(unwritable.err ==
          "io: cannot write the audit log /nowhere/audit (open: No such file or directory)\n");
  }

  TEST_CASE("what a principal stored is shared and taken back") {
    const TestFolder data;
    const std::string log = (data.path() / "audit.jsonl").string();
    const std::string everybodys = fill_with_kernel(data);
    {
      const auto archive = Archive::open(data.path());
      const ViewerScope ann(std::make_shared<const Viewer>(
          Viewer{.owner = "ann", .sees_all = false, .shares = false}));
      REQUIRE((*archive)->put_problem({"prb_scan", "scan", "{}", {}}));
      REQUIRE((*archive)->put_kernel({"krn_scan", "k", "prb_scan", {}, "{}", {}}));
    }
    CHECK(run_archive(data, {"share", "krn_scan", "--audit", log}).out ==
          "krn_scan is seen by all principals now, with what belongs to it: 2 rows changed\n");
    CHECK(read_file(log).value_or("").find(R"("action":"share","id":"krn_scan","rows":2)") !=
          std::string::npos);
    CHECK(run_archive(data, {"unshare", "krn_scan"}).out ==
          "krn_scan is seen by its owners only now, with its evidence: 1 rows changed\n");
    CHECK(Json::parse(run_archive(data, {"share", "krn_scan", "--json"}).out) ==
          Json{{"action", "share"}, {"id", "krn_scan"}, {"rows", 1}});
    const Ended refused = run_archive(data, {"unshare", everybodys});
    CHECK(refused.status == 1);
    CHECK(refused.err == "unsupported: " + everybodys +
                             " is everybody's: nobody owns it; only what principals stored can "
                             "be taken back\n");
    CHECK(run_archive(data, {"share", "krn_x"}).err ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel\n");
  }

  TEST_CASE("gc of a principal tells of what others have stored too") {
    const TestFolder data;
    {
      const auto archive = Archive::open(data.path());
      for (const char* owner : {"ann", "ben"}) {
        const ViewerScope viewer(std::make_shared<const Viewer>(
            Viewer{.owner = owner, .sees_all = false, .shares = false}));
        REQUIRE((*archive)->put_problem({"prb_scan", "scan", "{}", {}}));
        REQUIRE((*archive)->put_kernel({"krn_scan", "k", "prb_scan", {}, "{}", {}}));
      }
    }
    CHECK(run_archive(data, {"gc", "--principal", "ann", "--days", "0"}).out ==
          "0 kernels, 0 evidence and 0 problems, about 0 B, could go; --delete deletes them\n"
          "1 old kernels stay, as they or kernels made from them are other principals' too\n");
    CHECK(Json::parse(run_archive(data, {"gc", "--principal", "ann", "--json"}).out)
              .at("kept_for_others") == 0);
    CHECK_FALSE(Json::parse(run_archive(data, {"gc", "--json"}).out).contains("kept_for_others"));
  }

  TEST_CASE("a tag or a note that cannot be one is refused") {
    const TestFolder data;
    const Ended tag = run_archive(data, {"tag", "k", "Two Words"});
    CHECK(tag.status == 2);
    CHECK(tag.err == "invalid_argument: a tag has 1 to 64 lower-case letters, digits and _ . -\n");
    CHECK(run_archive(data, {"note", "k", std::string(2001, 'x')}).err ==
          "invalid_argument: a note has 1 to 2000 bytes, got 2001\n");
    CHECK(run_archive(data, {"note", "krn_x", "hello"}).err ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel\n");
  }
}

}  // namespace ws::test
