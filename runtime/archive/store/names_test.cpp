// Tests which row a name means, also where two contents have the same id.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_place.h"

namespace ws {
namespace {

constexpr const char* kProblem = "prb_add_00000000000000000000000000000001";

struct Rows {
  Rows() {
    auto opened = Archive::open(folder.place());
    REQUIRE(opened.has_value());
    archive = *std::move(opened);
    REQUIRE(archive->put_problem({kProblem, "add", "{}", {}}).has_value());
  }

  Status put(const std::string& id, const std::string& json = R"({"source":"a"})") {
    return archive->put_kernel({id, "k", kProblem, {}, json, {}});
  }

  /// The id of the kernel that is found, or the error.
  std::string found(const std::string& name) {
    const Result<KernelRow> row = archive->kernel(name);
    return row ? row->id : to_text(row.error());
  }

  TestPlace folder;
  std::unique_ptr<Archive> archive;
};

std::string text_of(const Status& status) {
  return status ? "stored" : to_text(status.error());
}

}  // namespace

TEST_SUITE("archive.names") {
  TEST_CASE("another content under an id is a conflict, and nothing is changed") {
    Rows rows;
    const std::string id = "krn_k_5142c884232aa683ffffffffffffffff";
    REQUIRE(rows.put(id, R"({"name":"k","source":"a"})").has_value());
    CHECK(text_of(rows.put(id, R"({"name":"k","source":"b"})")) ==
          "conflict: krn_k_5142c884232aa683ffffffffffffffff is the id of different content here; "
          "nothing was changed; change the text, even if only a comment, and send it again; "
          "`warpsmith archive verify` says whether the stored row is damaged");
    CHECK(rows.archive->kernel(id)->json == R"({"name":"k","source":"a"})");
    CHECK(text_of(rows.put(id, R"({"name":"K","source":"a"})")) == "stored");
    CHECK(text_of(rows.archive->put_problem({kProblem, "add", R"({"dims":{}})", {}})) ==
          std::string("conflict: ") + kProblem +
              " is the id of different content here; nothing was changed; change the text, even if "
              "only a comment, and send it again; `warpsmith archive verify` says whether the "
              "stored row is damaged");
  }

  TEST_CASE("a conflict of an import is refused, and the other rows are stored") {
    Rows rows;
    REQUIRE(rows.put("krn_k_01").has_value());
    ArchiveItem other;
    other.kind = ArchiveItem::Kind::kKernel;
    other.kernel = {"krn_k_01", "k", kProblem, {}, R"({"source":"b"})", {}};
    ArchiveItem good = other;
    good.kernel.id = "krn_k_02";
    const auto outcomes = rows.archive->put_all({other, good});
    REQUIRE(outcomes.has_value());
    REQUIRE((*outcomes)[0].error.has_value());
    CHECK((*outcomes)[0].error->code == ErrorCode::kConflict);
    CHECK((*outcomes)[1].added);
  }

  TEST_CASE("the beginning of an id or of its hash names the only kernel that has it") {
    Rows rows;
    REQUIRE(rows.put("krn_naive_51aa0000000000000000000000000000").has_value());
    REQUIRE(rows.put("krn_tiled_52bb0000000000000000000000000000").has_value());
    REQUIRE(rows.put("krn_tiled_v2_52cc0000000000000000000000000000").has_value());
    CHECK(rows.found("krn_naive") == "krn_naive_51aa0000000000000000000000000000");
    CHECK(rows.found("krn_n") == "krn_naive_51aa0000000000000000000000000000");
    CHECK(rows.found("krn_51") == "krn_naive_51aa0000000000000000000000000000");
    CHECK(rows.found("krn_52c") == "krn_tiled_v2_52cc0000000000000000000000000000");
    CHECK(rows.found("krn_tiled_5") == "krn_tiled_52bb0000000000000000000000000000");
    CHECK(rows.found("krn_tiled_52bb0000000000000000000000000000") ==
          "krn_tiled_52bb0000000000000000000000000000");
    CHECK(rows.found("krn_52") ==
          "invalid_argument: `krn_52` is the beginning of several kernels: "
          "krn_tiled_52bb0000000000000000000000000000, "
          "krn_tiled_v2_52cc0000000000000000000000000000; write more of the id");
    CHECK(rows.found("krn_") == "not_found: no kernel `krn_`; ids come from compile_kernel");
    CHECK(rows.found("naive") == "not_found: no kernel `naive`; ids come from compile_kernel");
    CHECK(rows.found("krn_na%") == "not_found: no kernel `krn_na%`; ids come from compile_kernel");
    CHECK(rows.archive->problem("prb_add")->id == kProblem);
    CHECK(rows.archive->problem("prb_0000")->id == kProblem);
  }

  TEST_CASE("of many candidates the first five are listed") {
    Rows rows;
    for (const char* id : {"krn_k_1", "krn_k_2", "krn_k_3", "krn_k_4", "krn_k_5", "krn_k_6"}) {
      REQUIRE(rows.put(id).has_value());
    }
    CHECK(rows.found("krn_k") ==
          "invalid_argument: `krn_k` is the beginning of several kernels: krn_k_1, krn_k_2, "
          "krn_k_3, krn_k_4, krn_k_5 and more; write more of the id");
  }

  TEST_CASE("the id of something else says so") {
    Rows rows;
    CHECK(rows.found(kProblem) == std::string("invalid_argument: `") + kProblem +
                                      "` names a problem, not a kernel; the id of a kernel begins "
                                      "with krn_");
    CHECK(rows.found("evd_00000000000000000000000000000000") ==
          "invalid_argument: `evd_00000000000000000000000000000000` names evidence, not a kernel; "
          "the id of a kernel begins with krn_");
    const auto problem = rows.archive->problem("krn_naive");
    REQUIRE_FALSE(problem.has_value());
    CHECK(to_text(problem.error()) ==
          "invalid_argument: `krn_naive` names a kernel, not a problem; the id of a problem begins "
          "with prb_");
  }

  TEST_CASE("a row with 16 digits is found by both of its ids, and only for its own content") {
    Rows rows;
    const std::string json = R"({"source":"a"})";
    // SHA-256 of the text above begins so.
    const std::string digits = "66610838712b78d3b40e3e67ed3cfac4";
    const std::string older = "krn_k_" + digits.substr(0, 16);
    REQUIRE(rows.put(older, json).has_value());
    CHECK(rows.found(older) == older);
    CHECK(rows.found("krn_k_" + digits) == older);
    const std::string other = "krn_k_" + digits.substr(0, 16) + "0000000000000000";
    CHECK(rows.found(other) ==
          "not_found: no kernel `" + other + "`; ids come from compile_kernel");
    REQUIRE(rows.put("krn_k_" + digits, json).has_value());
    CHECK(rows.found("krn_k_" + digits) == "krn_k_" + digits);
    CHECK(rows.found(older) == older);
  }
}

}  // namespace ws
