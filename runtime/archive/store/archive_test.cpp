#include "runtime/archive/store/archive.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/schema.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_place.h"
#include "runtime/base/clock.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

constexpr const char* kProblem = "prb_add_0123456789abcdef0123456789abcdef";

std::unique_ptr<Archive> open_archive(const TestPlace& folder) {
  Result<std::unique_ptr<Archive>> archive = Archive::open(folder.place());
  REQUIRE(archive.has_value());
  return *std::move(archive);
}

KernelRow kernel_row(const std::string& id, const std::string& parent = {}) {
  return {id, "k", kProblem, parent, R"({"source":")" + id + "\"}", {}};
}

/// An archive with one problem, and kernel b made from a.
std::unique_ptr<Archive> filled(const TestPlace& folder) {
  auto archive = open_archive(folder);
  REQUIRE(archive->put_problem({kProblem, "add", "{}", {}}).has_value());
  REQUIRE(archive->put_kernel(kernel_row("a")).has_value());
  REQUIRE(archive->put_kernel(kernel_row("b", "a")).has_value());
  return archive;
}

template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : to_text(result.error());
}

std::string open_error(const std::filesystem::path& folder) {
  return error_of(Archive::open(folder));
}

}  // namespace

TEST_SUITE("archive.rows") {
  TEST_CASE("a row is read back as it was put, also by a second process's archive") {
    const TestPlace folder;
    auto archive = filled(folder);
    const auto other = open_archive(folder);
    const Result<KernelRow> row = other->kernel("b");
    REQUIRE(row.has_value());
    CHECK(row->json == R"({"source":"b"})");
    CHECK(row->parent == "a");
    CHECK(row->problem_id == kProblem);
    CHECK(row->created_at.size() == std::string("2026-11-20T10:00:00.123Z").size());
    REQUIRE(other->put_kernel(kernel_row("c", "b")).has_value());
    CHECK(archive->kernel("c")->parent == "b");
  }

  TEST_CASE("putting a kernel again changes nothing") {
    const TestPlace folder;
    auto archive = filled(folder);
    REQUIRE(archive->put_kernel(kernel_row("b", "")).has_value());
    CHECK(archive->kernel("b")->parent == "a");
    REQUIRE(archive->put_kernel(kernel_row("a", "a")).has_value());
    CHECK(archive->root("b")->id == "a");
  }

  TEST_CASE("parents lead to the root, children are listed oldest first") {
    const TestPlace folder;
    auto archive = filled(folder);
    REQUIRE(archive->put_kernel(kernel_row("c", "b")).has_value());
    REQUIRE(archive->put_kernel(kernel_row("0", "a")).has_value());
    CHECK(archive->root("c")->id == "a");
    CHECK(archive->root("a")->id == "a");
    const auto children = archive->children("a");
    REQUIRE(children.has_value());
    REQUIRE(children->size() == 2);
    CHECK((*children)[0].id == "b");
    CHECK((*children)[1].id == "0");
  }

  TEST_CASE("an unknown id is not found, with where ids come from") {
    const TestPlace folder;
    auto archive = filled(folder);
    CHECK(error_of(archive->problem("p")) ==
          "not_found: no problem `p`; ids come from compile_kernel");
    CHECK(error_of(archive->kernel("x")) ==
          "not_found: no kernel `x`; ids come from compile_kernel");
    CHECK(error_of(archive->root("x")) == "not_found: no kernel `x`; ids come from compile_kernel");
    CHECK(error_of(archive->kernel("x@main")) ==
          "not_found: no ref `x@main`; a ref is made by compile_kernel with `ref`");
    CHECK(error_of(archive->put_kernel(kernel_row("d", "x"))) ==
          "not_found: no kernel `x`; ids come from compile_kernel");
    CHECK(error_of(archive->put_kernel({"d", "k", "p", "", "{}", ""})) ==
          "not_found: no problem `p`; ids come from compile_kernel");
    CHECK(error_of(archive->evidence("e")) ==
          "not_found: no evidence `e`; evidence ids come from compile_kernel, validate and "
          "benchmark");
    CHECK(error_of(archive->job("j")) ==
          "not_found: no job `j`; finished jobs are kept for 24 h; call the tool again");
  }

  TEST_CASE("a ref moves only when what is expected holds") {
    const TestPlace folder;
    auto archive = filled(folder);
    REQUIRE(archive->set_ref("mm@main", "a", "").has_value());
    CHECK(archive->kernel("mm@main")->id == "a");
    CHECK(error_of(archive->set_ref("mm@main", "b", "b")) ==
          "conflict: ref `mm@main` points at a, not at b; "
          "look at what it points at now, then send that as `expect_ref`");
    CHECK(error_of(archive->set_ref("mm@new", "b", "b")) ==
          "conflict: ref `mm@new` does not exist, not at b; "
          "look at what it points at now, then send that as `expect_ref`");
    REQUIRE(archive->set_ref("mm@main", "b", "a").has_value());
    CHECK(archive->ref("mm@main") == "b");
    REQUIRE(archive->set_ref("mm@main", "a").has_value());
    CHECK(error_of(archive->set_ref("Main", "a")) ==
          "invalid_argument: `Main` is not a ref; "
          "write name@branch with lower-case letters, digits and _ . -");
    CHECK(error_of(archive->set_ref("mm@main", "x")) ==
          "not_found: no kernel `x`; ids come from compile_kernel");
  }

  TEST_CASE("the latest evidence answers the same question only") {
    const TestPlace folder;
    auto archive = filled(folder);
    const auto add = [&](const std::string& key, Verdict verdict) {
      EvidenceRow row;
      row.kernel_id = "a";
      row.device = "cpu:0";
      row.kind = "validate";
      row.key = key;
      row.verdict = verdict;
      row.json = "{}";
      const auto id = archive->add_evidence(row);
      REQUIRE(id.has_value());
      return *id;
    };
    const std::string first = add("quick", Verdict::kPassed);
    const std::string second = add("quick", Verdict::kIncorrect);
    const std::string third = add("standard", Verdict::kPassed);
    CHECK(first.size() == 36);
    CHECK(first.substr(0, 4) == "evd_");
    const auto latest = [&](const std::string& key, std::optional<Verdict> verdict) {
      const auto row = archive->latest_evidence("a", "cpu:0", "validate", key, verdict);
      REQUIRE(row.has_value());
      return row->has_value() ? (*row)->id : "none";
    };
    CHECK(latest("", {}) == third);
    CHECK(latest("quick", {}) == second);
    CHECK(latest("quick", Verdict::kPassed) == first);
    CHECK(latest("strict", {}) == "none");
    CHECK(archive->latest_evidence("a", "cuda:0", "validate").value() == std::nullopt);
    CHECK(archive->evidence(second)->verdict == Verdict::kIncorrect);
    CHECK(archive->evidence(second)->created_ms > 0);
  }

  TEST_CASE("a finished job is forgotten after a day, a running one is not") {
    const TestPlace folder;
    auto archive = open_archive(folder);
    const std::int64_t old = unix_ms() - kJobKeptMs - 1000;
    REQUIRE(archive->put_job({"j1", "validate", "running", "{}", "", old}).has_value());
    REQUIRE(archive->put_job({"j2", "validate", "done", "{}", "", old}).has_value());
    REQUIRE(archive->put_job({"j3", "validate", "queued", "{}", "", 0}).has_value());
    REQUIRE(archive->put_job({"j3", "validate", "done", R"({"a":1})", "", 0}).has_value());
    CHECK_FALSE(archive->job("j2").has_value());
    CHECK(archive->job("j1")->status == "running");
    CHECK(archive->job("j3")->json == R"({"a":1})");
    CHECK(archive->prune_jobs() == 1);
    CHECK(archive->prune_jobs() == 0);
  }

  TEST_CASE("a job that has ended stays so, even for servers that saw it run") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    REQUIRE(archive->put_job({"j", "validate", "done", R"({"a":1})", "", 0}).has_value());
    REQUIRE(archive->put_job({"j", "validate", "running", "{}", "", 0}).has_value());
    CHECK(archive->job("j")->status == "done");
    CHECK(archive->job("j")->json == R"({"a":1})");
  }

  TEST_CASE("a setting is kept over a restart") {
    const TestPlace folder;
    REQUIRE(open_archive(folder)->set_setting("noise/cpu:0", "0.02").has_value());
    auto archive = open_archive(folder);
    CHECK(archive->setting("noise/cpu:0").value() == "0.02");
    CHECK(archive->setting("other").value() == std::nullopt);
  }

  TEST_CASE("text with quotes, NUL and other languages survives") {
    const TestPlace folder;
    auto archive = open_archive(folder);
    using namespace std::string_literals;
    const std::string text = tests_on_postgres() ? "';DROP TABLE kernels;--\xc3\xa9 \""s
                                                 : "';DROP TABLE kernels;--\0\xc3\xa9 \""s;
    REQUIRE(archive->put_problem({"p", text, text, ""}).has_value());
    CHECK(archive->problem("p")->json == text);
  }
}

TEST_SUITE("archive.open") {
  TEST_CASE("a file that is no database is left alone, and the message says what to do") {
    const TestPlace folder;
    const std::filesystem::path file = folder.path() / "archive.db";
    const std::string text(4096, 'x');
    std::ofstream(file) << text;
    CHECK(open_error(folder.path()) ==
          "io: the archive `" + file.string() +
              "` is not a database; nothing was changed (sqlite3_prepare_v3: file is not a "
              "database); move the file away to start a new one, or restore a copy");
    CHECK(read_file(file).value() == text);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
    CHECK(std::filesystem::exists(folder.path() / "archive.lock"));
  }

  TEST_CASE("a file with a damaged page is refused") {
    const TestPlace folder;
    filled(folder).reset();
    const std::filesystem::path file = folder.path() / "archive.db";
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff kSecondPage = 4096;
    out.seekp(kSecondPage);
    out << std::string(3 * kSecondPage, '\x5a');
    out.close();
    const std::string error = open_error(folder.path());
    CHECK(error.find("io: the archive `" + file.string() + "` is damaged; nothing was changed") ==
          0);
    CHECK(error.find("move the file away") != std::string::npos);
  }

  TEST_CASE("a file of a newer program is refused and named so") {
    const TestPlace folder;
    filled(folder).reset();
    {
      auto connection = Connection::open((folder.path() / "archive.db").string(), false);
      REQUIRE(connection->execute("PRAGMA user_version = 99").has_value());
    }
    CHECK(open_error(folder.path()) ==
          "io: the archive has version 99, this program knows up to " +
              std::to_string(archive_version()) +
              "; use the newer warpsmith, or another folder with --data");
  }

  TEST_CASE("another program's database is not taken over") {
    const TestPlace folder;
    {
      auto connection = Connection::open((folder.path() / "archive.db").string(), false);
      REQUIRE(connection->execute("CREATE TABLE mine(x)").has_value());
    }
    CHECK(open_error(folder.path()) ==
          "io: the file archive.db is another program's database; "
          "choose another folder with --data DIR");
  }

  TEST_CASE("a folder that cannot be made or written is named") {
    const TestPlace folder;
    const std::filesystem::path file = folder.path() / "file";
    std::ofstream(file) << "x";
    CHECK(open_error(file / "sub") == "io: the archive's folder `" + (file / "sub").string() +
                                          "` cannot be made (mkdir: Not a directory); "
                                          "choose another one with --data DIR");
    CHECK(open_error("/proc/self") ==
          "io: the archive `/proc/self/archive.db` cannot be opened (sqlite3_open_v2: unable to "
          "open database file); make its folder writable, or choose another one with --data DIR");
  }

  TEST_CASE("many threads and two archives write one folder at once, and nothing is lost") {
    const TestPlace folder;
    const auto first = open_archive(folder);
    const auto second = open_archive(folder);
    constexpr int kEach = 50;
    constexpr int kThreads = 4;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Archive& archive = t % 2 == 0 ? *first : *second;
        for (int i = 0; i < kEach; ++i) {
          const std::string id = std::to_string(t) + "_" + std::to_string(i);
          CHECK(archive.put_problem({id, "p", "{}", ""}).has_value());
          CHECK(archive.problem(id).has_value());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (int i = 0; i < 4 * kEach; ++i) {
      CHECK(
          first->problem(std::to_string(i / kEach) + "_" + std::to_string(i % kEach)).has_value());
    }
  }
}

}  // namespace ws
