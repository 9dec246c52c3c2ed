#include "tools/kernels/recent_resources.h"

#include <doctest/doctest.h>

#include "runtime/base/viewer.h"

namespace ws {
namespace {

/// The rows of a viewer that sees every kernel named there.
Json rows_of(const RecentResources& recent) {
  return recent.rows([](const std::string& /*id*/) { return true; });
}

ViewerPtr one_who(const char* owner, bool shares) {
  return std::make_shared<const Viewer>(
      Viewer{.owner = owner, .sees_all = false, .shares = shares});
}

}  // namespace

TEST_SUITE("kernels.recent_resources") {
  TEST_CASE("the list is another with each kernel that was not named before") {
    RecentResources recent;
    CHECK(rows_of(recent) == Json::array());
    CHECK_FALSE(recent.note({{"summary", "no kernel"}}).list);
    CHECK_FALSE(recent.note(Json::array()).list);
    CHECK(recent.note({{"kernel_id", "krn_a"}, {"problem_id", "prb_p"}}).list);
    CHECK_FALSE(recent.note({{"kernel_id", "krn_a"}, {"problem_id", "prb_p"}}).list);
    CHECK(recent.note({{"kernel_id", "krn_b"}}).list);
    CHECK(rows_of(recent) ==
          Json::array({{{"uri", "kernel://krn_b/source"},
                        {"name", "krn_b"},
                        {"description", "Source of a kernel that was used lately"},
                        {"mimeType", "text/plain"}},
                       {{"uri", "kernel://krn_a/source"},
                        {"name", "krn_a"},
                        {"description", "Source of a kernel that was used lately"},
                        {"mimeType", "text/plain"}},
                       {{"uri", "problem://prb_p"},
                        {"name", "prb_p"},
                        {"description", "Its problem as it was sent"},
                        {"mimeType", "application/json"}}}));
    CHECK(recent.note({{"kernel_id", "krn_b"}, {"problem_id", "prb_p"}}).list);
    CHECK(rows_of(recent).size() == 3);
  }

  TEST_CASE("the latest kernels are kept") {
    RecentResources recent;
    for (int i = 0; i < 60; ++i) {
      CHECK(recent.note({{"kernel_id", "krn_" + std::to_string(i)}}).list);
    }
    const Json rows = rows_of(recent);
    CHECK(rows.size() == 50);
    CHECK(rows[0]["name"] == "krn_59");
    CHECK(rows[49]["name"] == "krn_10");
  }

  TEST_CASE("each principal has a list of its own, and what others do takes no place there") {
    RecentResources recent;
    const Json own = {{"kernel_id", "krn_alice"}};
    {
      const ViewerScope alice(one_who("alice", false));
      CHECK(recent.note(own).list);
    }
    {
      const ViewerScope bob(one_who("bob", false));
      CHECK(rows_of(recent).empty());
      for (int i = 0; i < 60; ++i) {
        recent.note({{"kernel_id", "krn_" + std::to_string(i)}});
      }
      CHECK(recent.note(own).list);  // It is new in Bob's.
      CHECK_FALSE(recent.note(own).list);
      CHECK(rows_of(recent).size() == 50);
    }
    const ViewerScope alice(one_who("alice", false));
    CHECK(rows_of(recent).size() == 1);
    {
      const ViewerScope carol(one_who("carol", true));
      CHECK(recent.note({{"kernel_id", "krn_carol"}}).list);
    }
    CHECK(rows_of(recent).size() == 2);
    CHECK(recent.rows([](const std::string& id) { return id == "krn_alice"; }).size() == 1);
  }

  TEST_CASE("evidence changes what is said of its kernel, once") {
    RecentResources recent;
    const Json answer = {{"kernel_id", "krn_a"}, {"evidence_id", "evd_1"}};
    const RecentResources::News news = recent.note(answer);
    CHECK(news.contents == std::vector<std::string>{"kernel://krn_a/log", "kernel://krn_a/report"});
    CHECK(news.kernel == "krn_a");
    CHECK(news.evidence == "evd_1");
    CHECK(recent.note(answer).contents.empty());
    CHECK(recent.note({{"kernel_id", "krn_a"}, {"evidence_id", "evd_2"}}).contents.size() == 2);
    CHECK(recent.note({{"evidence_id", "evd_3"}}).contents.empty());
  }
}

}  // namespace ws
