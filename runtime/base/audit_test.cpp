#include "runtime/base/audit.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/base/files.h"
#include "runtime/base/request_id.h"
#include "runtime/base/temp_folder.h"

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
