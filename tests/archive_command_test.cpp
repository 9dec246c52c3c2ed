// `warpsmith archive`: out of one archive into another, and what is refused on the way.
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/viewer.h"
#include "tests/support/child.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string errors;
};

Ended run_archive(const TestFolder& data, std::vector<std::string> words) {
  words.insert(words.begin(), "archive");
  words.insert(words.end(), {"--data", data.path().string()});
  Child child("warpsmith", words);
  Ended ended;
  ended.out = child.rest();
  ended.errors = child.errors();
  ended.status = child.wait(std::chrono::seconds(60)).value_or(-1);
  return ended;
}

/// A judged kernel with a tag in a folder.
std::string fill(const TestFolder& data) {
  ServicesOptions options;
  options.data_dir = data.path();
  options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  options.gpus = false;
  auto services = open_services(options);
  REQUIRE(services.has_value());
  ToolRegistry registry;
  add_all_tools(registry, **services);
  CallContext context;
  const auto result =
      registry.find("compile_kernel")
          ->tool->call({{"problem", twice_problem()}, {"kernel", good_kernel()}}, context);
  REQUIRE(result.has_value());
  const std::string id = (*result)["kernel_id"];
  REQUIRE(registry.find("validate")->tool->call({{"kernel_id", id}}, context).value()["verdict"] ==
          "passed");
  REQUIRE((*services)->archive->set_ref("best@main", id).has_value());
  return id;
}

std::string file_in(const TestFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder.path() / name;
  REQUIRE(write_file(path, text).has_value());
  return path.string();
}

}  // namespace

TEST_SUITE("archive_command") {
  TEST_CASE("an archive goes out and into another one, where it claims but does not count") {
    const TestFolder from;
    const TestFolder to;
    const std::string id = fill(from);
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
    const std::string id = fill(data);
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
    CHECK(ended.errors ==
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
    const std::string id = fill(data);
    const std::string cache = file_in(
        data, "cache.json",
        R"({"device_name":"X","kernel_name":"k","tune_params_keys":["BM"],"cache":{"16":{"BM":16,"time":1.5}}})");
    CHECK(run_archive(data, {"import", cache, "--kernel", id}).out ==
          "1 lines: 0 rows added, 0 were there, 1 refused\nline 1: invalid_argument: " + id +
              " has no parameter `BM`\n");
    const Ended wrong =
        run_archive(data, {"import", file_in(data, "x.json", "[]"), "--kernel", id});
    CHECK(wrong.status == 2);
    CHECK(wrong.errors ==
          "invalid_argument: neither a tuning cache of Kernel Tuner (`cache`) nor T4 results "
          "(`results`)\n");
  }

  TEST_CASE("gc only counts what nothing refers to until it is told to delete") {
    const TestFolder data;
    const std::string id = fill(data);
    {
      const auto archive = Archive::open(data.path());
      const KernelRow judged = (*archive)->kernel(id).value();
      for (const char* name : {"loose", "child"}) {
        KernelRow row = judged;
        row.id = name;
        row.parent = std::string(name) == "child" ? "loose" : "";
        REQUIRE((*archive)->put_kernel(row).has_value());
      }
    }
    CHECK(run_archive(data, {"gc"}).out ==
          "0 kernels, 0 evidence and 0 problems, about 0 B, could go; --delete deletes them\n");
    const std::string found = run_archive(data, {"gc", "--days", "0"}).out;
    CHECK(found.starts_with("2 kernels, 0 evidence and 0 problems, about "));
    CHECK(found.ends_with(", could go; --delete deletes them\nchild\nloose\n"));
    const Ended refused = run_archive(data, {"gc", "--days", "0", "--delete"});
    CHECK(refused.status == 2);
    CHECK(refused.errors ==
          "invalid_argument: --days 0 with --delete could delete kernels that a server is working "
          "on; keep the last day, or add --force if no server runs\n");
    const Json deleted = Json::parse(run_archive(data, {"gc", "--days", "0", "--max-bytes", "1GB",
                                                        "--delete", "--force", "--json"})
                                         .out);
    CHECK(deleted["bytes"] > 0);
    CHECK(deleted["deleted"] == true);
    CHECK(deleted["kernels"] == 2);
    CHECK(deleted["evidence"] == 0);
    CHECK(deleted["ids"] == Json({"child", "loose"}));
    CHECK(run_archive(data, {"gc", "--days", "0"}).out ==
          "0 kernels, 0 evidence and 0 problems, about 0 B, could go; --delete deletes them\n");
    CHECK((*Archive::open(data.path()))->kernel(id).has_value());
  }

  TEST_CASE("verify finds a row that was changed, and judges a sample again") {
    const TestFolder data;
    const std::string id = fill(data);
    const Ended sound = run_archive(data, {"verify", "--rerun", "3", "--no-gpu"});
    CHECK(sound.status == 0);
    CHECK(sound.out ==
          "1 problems, 1 kernels, 2 evidence, 0 claims read; 0 damaged\n" + id + ": passed\n");
    {
      const auto archive = Archive::open(data.path());
      KernelRow row = (*archive)->kernel(id).value();
      row.id = "krn_forged";
      REQUIRE((*archive)->put_kernel(row).has_value());
    }
    const Ended forged = run_archive(data, {"verify"});
    CHECK(forged.status == 1);
    CHECK(forged.out ==
          "1 problems, 2 kernels, 3 evidence, 0 claims read; 1 damaged\n"
          "krn_forged: its content has the id " +
              id + "\n");
  }

  TEST_CASE("verify says that the file is damaged, whatever the rows look like") {
    const TestFolder data;
    fill(data);
    const std::filesystem::path file = data.path() / "archive.db";
    std::string bytes = read_file(file).value();
    const std::string key = R"({"level":"quick","param_samples":0)";
    const std::size_t at = bytes.find(key);
    REQUIRE(at != std::string::npos);
    bytes[at + 2] = 'L';
    REQUIRE(write_file(file, bytes).has_value());
    const Ended damaged = run_archive(data, {"verify"});
    CHECK(damaged.status == 1);
    CHECK(damaged.out.starts_with(
        "the file is damaged; restore a backup, or export what can be read:\nrow "));
    CHECK(damaged.out.find(" missing from index evidence_by_kernel\n") != std::string::npos);
    CHECK(run_archive(data, {"verify", "--json"})
              .out.starts_with(R"({"action":"verify","file":["row )"));
  }

  TEST_CASE("a backup of a live server is restored elsewhere, and not over that server") {
    const TestFolder data;
    const TestFolder to;
    const std::string id = fill(data);
    const std::string file = (to.path() / "a.db").string();
    Child server("warpsmith", {"serve", "--stdio", "--no-gpu", "--data", data.path().string()});
    server.write(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                 "\n");
    REQUIRE(server.line().has_value());
    const Json backup = Json::parse(run_archive(data, {"backup", file, "--json"}).out);
    CHECK(backup["kernels"] == 1);
    CHECK(backup["evidence"] == 2);
    CHECK(backup["bytes"] == std::filesystem::file_size(file));
    const Ended again = run_archive(data, {"backup", file});
    CHECK(again.status == 1);
    CHECK(again.errors == "conflict: `" + file +
                              "` is there already; name another file, or replace it with "
                              "--force\n");
    CHECK(
        run_archive(data, {"backup", file, "--force"}).out.starts_with("1 kernels, 2 evidence, "));
    const Ended to_stdout = run_archive(data, {"backup", "-"});
    CHECK(to_stdout.status == 2);
    CHECK(to_stdout.errors ==
          "invalid_argument: a backup cannot be written to stdout; name a file; `warpsmith archive "
          "export -` writes lines\n");
    const Ended live = run_archive(data, {"restore", file});
    CHECK(live.status == 1);
    CHECK(live.errors.starts_with("busy: the archive in `" + data.path().string() +
                                  "` is in use by a server, process "));
    CHECK(live.errors.ends_with("; nothing was changed; stop that server, then try again\n"));
    const Ended restored = run_archive(to, {"restore", file});
    CHECK(restored.status == 0);
    CHECK(restored.out.starts_with("1 kernels, 2 evidence, "));
    CHECK(restored.out.ends_with(" restored from " + file + "\nthere was no archive before\n"));
    CHECK((*Archive::open(to.path()))->ref("best@main") == id);
    server.close_input();
    CHECK(server.wait(std::chrono::seconds(20)) == 0);
    const Json kept = Json::parse(run_archive(data, {"restore", file, "--json"}).out);
    CHECK(std::filesystem::exists(std::string(kept["kept"])));
    CHECK(run_archive(data, {"check"}).status == 0);
  }

  TEST_CASE("migrate says what would change, and then changes it") {
    const TestFolder data;
    CHECK(run_archive(data, {"migrate", "--dry-run"}).errors ==
          "not_found: there is no archive in `" + data.path().string() +
              "`; name its folder by --data DIR\n");
    fill(data);
    CHECK(run_archive(data, {"migrate", "--dry-run"}).out ==
          "the archive has version 17, the newest\n");
    const auto file = data.path() / "archive.db";
    {
      auto old = Connection::open(file.string(), false);
      REQUIRE(old->execute("DROP TABLE owners; DROP TABLE owner_bytes; PRAGMA user_version = 15")
                  .has_value());
    }
    const std::string steps =
        " from version 15 to 17:\n16: makes the table of owners; what is stored by now stays "
        "everybody's\n17: counts what each principal has stored\na copy of the old version ";
    CHECK(run_archive(data, {"migrate", "--dry-run"}).out ==
          "would go" + steps + "would be " + file.string() + ".version-15\n");
    CHECK(run_archive(data, {"migrate"}).out ==
          "went" + steps + "is " + file.string() + ".version-15\n");
    CHECK(Json::parse(run_archive(data, {"migrate", "--json"}).out)["changed"] == false);
  }

  TEST_CASE("what changes an archive is in the audit log that is named, and nothing else") {
    const TestFolder from;
    const TestFolder to;
    const std::string id = fill(from);
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
    CHECK(unwritable.errors ==
          "io: cannot write the audit log /nowhere/audit (open: No such file or directory)\n");
  }

  TEST_CASE("what a principal stored is shared and taken back") {
    const TestFolder data;
    const std::string log = (data.path() / "audit.jsonl").string();
    const std::string everybodys = fill(data);
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
    CHECK(refused.errors == "unsupported: " + everybodys +
                                " is everybody's: nobody owns it; only what principals stored can "
                                "be taken back\n");
    CHECK(run_archive(data, {"share", "krn_x"}).errors ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel\n");
  }

  TEST_CASE("a tag or a note that cannot be one is refused") {
    const TestFolder data;
    const Ended tag = run_archive(data, {"tag", "k", "Two Words"});
    CHECK(tag.status == 2);
    CHECK(tag.errors ==
          "invalid_argument: a tag has 1 to 64 lower-case letters, digits and _ . -\n");
    CHECK(run_archive(data, {"note", "k", std::string(2001, 'x')}).errors ==
          "invalid_argument: a note has 1 to 2000 bytes, got 2001\n");
    CHECK(run_archive(data, {"note", "krn_x", "hello"}).errors ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel\n");
  }
}

}  // namespace ws::test
