#include "tools/kernels/recent_resources.h"

#include <doctest/doctest.h>

namespace ws {
TEST_SUITE("kernels.recent_resources") {
  TEST_CASE("the list is another with each kernel that was not named before") {
    RecentResources recent;
    CHECK(recent.rows() == Json::array());
    CHECK_FALSE(recent.note({{"summary", "no kernel"}}).list);
    CHECK_FALSE(recent.note(Json::array()).list);
    CHECK(recent.note({{"kernel_id", "krn_a"}, {"problem_id", "prb_p"}}).list);
    CHECK_FALSE(recent.note({{"kernel_id", "krn_a"}, {"problem_id", "prb_p"}}).list);
    CHECK(recent.note({{"kernel_id", "krn_b"}}).list);
    CHECK(recent.rows() == Json::array({{{"uri", "kernel://krn_b/source"},
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
    CHECK(recent.rows().size() == 3);
  }

  TEST_CASE("the latest kernels are kept") {
    RecentResources recent;
    for (int i = 0; i < 60; ++i) {
      CHECK(recent.note({{"kernel_id", "krn_" + std::to_string(i)}}).list);
    }
    const Json rows = recent.rows();
    CHECK(rows.size() == 50);
    CHECK(rows[0]["name"] == "krn_59");
    CHECK(rows[49]["name"] == "krn_10");
  }

  TEST_CASE("evidence changes what is said of its kernel, once") {
    RecentResources recent;
    const Json answer = {{"kernel_id", "krn_a"}, {"evidence_id", "evd_1"}};
    CHECK(recent.note(answer).contents ==
          std::vector<std::string>{"kernel://krn_a/log", "kernel://krn_a/report"});
    CHECK(recent.note(answer).contents.empty());
    CHECK(recent.note({{"kernel_id", "krn_a"}, {"evidence_id", "evd_2"}}).contents.size() == 2);
    CHECK(recent.note({{"evidence_id", "evd_3"}}).contents.empty());
  }
}

}  // namespace ws
