#include "runtime/base/audit.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runtime/base/files.h"
#include "runtime/base/request_id.h"
#include "runtime/base/temp_folder.h"
#include "runtime/base/test_stderr.h"

namespace ws {
namespace {

/// Without the time, which each line begins with.
std::string lines_in(const std::filesystem::path& path) {
  std::string text = *read_file(path);
  for (std::size_t at = 0; (at = text.find("{\"time\":\"", at)) != std::string::npos; ++at) {
    text.erase(at + 1, text.find(',', at) - at);
  }
  return text;
}

/// Stands for a full disk: files of this process end there.
class FileLimit {
 public:
  explicit FileLimit(std::uintmax_t bytes)
      : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit lowered{static_cast<rlim_t>(bytes), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &lowered) == 0);
  }

  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }

 private:
  void (*signal_)(int);
  rlimit before_{};
};

}  // namespace

TEST_SUITE("base.audit") {
  TEST_CASE("what is called and stored is appended, and a file that was moved is made again") {
    const auto folder = *TempFolder::make();
    const std::filesystem::path path = folder->path() / "audit.jsonl";
    audit_stored(StoredKind::kKernel, "krn_lost");
    CHECK_FALSE(is_audited());
    REQUIRE(open_audit(path).has_value());
    CHECK(is_audited());
    {
      const RequestScope scope("r7");
      audit("call", R"("tool":"validate")");
      audit_stored(StoredKind::kEvidence, "evd_1", "krn_1");
    }
    audit_stored(StoredKind::kRef, "a\"b@main", "krn_1");
    CHECK(lines_in(path) ==
          R"({"event":"call","tool":"validate","request_id":"r7"}
{"event":"stored","kind":"evidence","id":"evd_1","kernel_id":"krn_1","request_id":"r7"}
{"event":"stored","kind":"ref","id":"a\"b@main","kernel_id":"krn_1"}
)");
    struct stat status = {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    const std::filesystem::path old = folder->path() / "audit.1";
    std::filesystem::rename(path, old);
    audit_stored(StoredKind::kProblem, "prb_1");
    REQUIRE(reopen_audit().has_value());
    audit_stored(StoredKind::kProblem, "prb_2");
    close_audit();
    audit_stored(StoredKind::kProblem, "prb_3");
    CHECK(
        lines_in(old).ends_with("{\"event\":\"stored\",\"kind\":\"problem\",\"id\":\"prb_1\"}\n"));
    CHECK(lines_in(path) == "{\"event\":\"stored\",\"kind\":\"problem\",\"id\":\"prb_2\"}\n");
    CHECK(reopen_audit().has_value());
  }

  TEST_CASE("late lines are written soon, in the order of all lines, and before the file changes") {
    const auto folder = *TempFolder::make();
    const std::filesystem::path path = folder->path() / "audit.jsonl";
    REQUIRE(open_audit(path).has_value());
    audit_later("call", R"("tool":"one")");
    audit("call", R"("tool":"two")");
    CHECK(lines_in(path) ==
          "{\"event\":\"call\",\"tool\":\"one\"}\n{\"event\":\"call\",\"tool\":\"two\"}\n");
    audit_later("call", R"("tool":"three")");
    for (int i = 0; !lines_in(path).ends_with("\"three\"}\n") && i < 30'000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // Another thread writes it.
    }
    REQUIRE(lines_in(path).ends_with("\"three\"}\n"));
    audit_later("call", R"("tool":"four")");
    const std::filesystem::path old = folder->path() / "audit.1";
    std::filesystem::rename(path, old);
    REQUIRE(reopen_audit().has_value());
    CHECK(lines_in(old).ends_with("\"four\"}\n"));
    audit_later("call", R"("tool":"five")");
    close_audit();
    CHECK(lines_in(path) == "{\"event\":\"call\",\"tool\":\"five\"}\n");
    audit_later("call", R"("tool":"six")");
    write_late_audit();
    CHECK(lines_in(path) == "{\"event\":\"call\",\"tool\":\"five\"}\n");
  }

  TEST_CASE("a line that a full disk cut is ended before the next one, and what is lost is told") {
    const auto folder = *TempFolder::make();
    const std::filesystem::path path = folder->path() / "audit.jsonl";
    const StderrPipe pipe;
    REQUIRE(open_audit(path).has_value());
    audit("call", R"("tool":"one")");
    {
      const FileLimit limit(std::filesystem::file_size(path) + 20);
      audit_later("call", R"("tool":"two")");
      audit("call", R"("tool":"three")");
    }
    audit("call", R"("tool":"four")");
    close_audit();
    const std::string text = *read_file(path);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(text.ends_with("\"event\":\"call\",\"tool\":\"four\"}\n"));
    CHECK(pipe.text().ends_with(" error audit: 2 lines are not written: the disk is full\n"));
  }

  TEST_CASE("what is no file, or cannot be written, is refused") {
    const Status device = open_audit("/dev/null");
    REQUIRE_FALSE(device.has_value());
    CHECK(to_text(device.error()) ==
          "io: cannot write the audit log /dev/null: it is no regular file; name a file on a disk");
    const Status missing = open_audit("/no/such/folder/audit");
    REQUIRE_FALSE(missing.has_value());
    CHECK(to_text(missing.error()) ==
          "io: cannot write the audit log /no/such/folder/audit (open: No such file or directory)");
    CHECK_FALSE(is_audited());
  }
}

}  // namespace ws
