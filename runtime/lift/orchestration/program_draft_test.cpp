#include "runtime/lift/orchestration/program_draft.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

constexpr std::size_t kThreads = 256;

Tree tree_with_file() {
  Tree tree;
  tree.regions = {"source"};
  return tree;
}

std::string methods_of(const ProgramDraft& draft) {
  const std::string text = draft.text("k", {});
  return text.substr(text.find("\n    def ", text.find("__init__")));
}

}  // namespace

TEST_SUITE("lift.program_draft") {
  TEST_CASE("lines are set in, and tied to their place or to the call that was entered") {
    const Tree tree = tree_with_file();
    ProgramDraft draft(tree, kThreads);
    draft.line("while True:", {0, 3, 1, 5, 2});
    draft.indent();
    CHECK(draft.enter_call({0, 9, 1, 9, 2}));
    CHECK_FALSE(draft.enter_call({0, 12, 1, 12, 2}));
    draft.line("x = 1", {0, 4, 1, 4, 2});
    draft.line("break", ProgramDraft::kUnmarked);
    draft.leave_call();
    CHECK(draft.lines() == std::vector<std::string>{"        while True:  # @ source:3-5",
                                                    "            x = 1  # @ source:9-9",
                                                    "            break"});
    draft.lost({0, 6, 1, 6, 2}, "bar.red", "no form");
    CHECK(draft.has_comments_only(3));
    CHECK_FALSE(draft.has_comments_only(2));
    REQUIRE(draft.not_lifted().size() == 1);
    CHECK(draft.not_lifted()[0].why == "`bar.red`: no form");
    CHECK(draft.not_lifted()[0].range.line == 6);
  }

  TEST_CASE("each role does first what comes before roles, and a function or a hole does not") {
    const Tree tree = tree_with_file();
    ProgramDraft draft(tree, kThreads);
    draft.line("n = 4", ProgramDraft::kUnmarked);
    CHECK(draft.is_outermost());
    draft.begin_role({WorkerKind::kWarpgroup, {1, 2}, {1}, 128});
    CHECK_FALSE(draft.is_outermost());
    draft.line("y = self.next(n)", ProgramDraft::kUnmarked);
    draft.indent();
    const ProgramDraft::Place around = draft.begin_function("next", {"a"});
    draft.line("return a + 1", ProgramDraft::kUnmarked);
    draft.end_function(around);
    CHECK(draft.place() == around);
    CHECK(draft.has_method("next"));
    Hole hole;
    hole.id = "hole_1";
    hole.inputs = {"y", "self.s"};
    draft.add_stand_in(hole);
    draft.fill_stand_in(hole, {"        return y"});
    draft.end_role();
    CHECK(draft.role().kind == WorkerKind::kNobody);
    CHECK(methods_of(draft) ==
          "\n    def role_1(self, wg):\n        n = 4\n        y = self.next(n)\n"
          "\n    def next(self, a):\n        return a + 1\n"
          "\n    def hole_1(self, y):\n        return y\n"
          "\n    def run(self):\n        self.bind(self.role_1, \"warpgroup\", 1, 2)\n"
          "        self.commit()\n");
  }

  TEST_CASE("what one warpgroup does before roles stands in its role, under its number") {
    const Tree tree = tree_with_file();
    ProgramDraft draft(tree, 3 * kWarpgroupThreads);
    const auto warpgroups = [](std::size_t first, std::size_t last) {
      Role role{WorkerKind::kWarpgroup, {}, Lanes(3 * kWarpgroupThreads, 0), kWarpgroupThreads};
      for (std::size_t i = first; i <= last; ++i) {
        role.numbers.push_back(static_cast<int>(i));
        std::fill_n(role.lanes.begin() + static_cast<std::ptrdiff_t>(i * kWarpgroupThreads),
                    kWarpgroupThreads, 1);
      }
      return role;
    };
    draft.line("a = 1", ProgramDraft::kUnmarked);
    draft.begin_only(warpgroups(1, 1));
    CHECK(draft.role().numbers == std::vector<int>{1});
    draft.line("b = 1", ProgramDraft::kUnmarked);
    draft.line("c = 1", ProgramDraft::kUnmarked);
    draft.line("d = 1", ProgramDraft::kUnmarked);
    draft.remove_last_line();
    draft.end_only();
    draft.line("e = 1", ProgramDraft::kUnmarked);
    draft.begin_role(warpgroups(0, 0));
    draft.end_role();
    draft.begin_role(warpgroups(1, 2));
    draft.end_role();
    CHECK(methods_of(draft) ==
          "\n    def role_1(self, wg):\n        a = 1\n        e = 1\n"
          "\n    def role_2(self, wg):\n        a = 1\n        if wg == 1:\n            b = 1\n"
          "            c = 1\n        e = 1\n"
          "\n    def run(self):\n        self.bind(self.role_1, \"warpgroup\", 0)\n"
          "        self.bind(self.role_2, \"warpgroup\", 1, 2)\n        self.commit()\n");
  }

  TEST_CASE("without roles the lines are those of run, and a draft goes back to a copy") {
    const Tree tree = tree_with_file();
    ProgramDraft draft(tree, kThreads);
    CHECK(methods_of(draft) == "\n    def run(self):\n        pass\n");
    const ProgramDraft before = draft;
    draft.line("x = 1", ProgramDraft::kUnmarked);
    draft.set_integer("x");
    draft.indent();
    CHECK(methods_of(draft) == "\n    def run(self):\n        x = 1\n");
    draft = before;
    CHECK(draft.is_outermost());
    CHECK(draft.lines().empty());
    CHECK_FALSE(draft.is_integer("x"));
  }

  TEST_CASE("what goes beyond 2000 lines is left out") {
    const Tree tree = tree_with_file();
    ProgramDraft draft(tree, kThreads);
    for (int i = 0; i < 2000; ++i) {
      draft.line("x", ProgramDraft::kUnmarked);
    }
    CHECK_FALSE(draft.is_full());
    draft.line("y", ProgramDraft::kUnmarked);
    CHECK(draft.is_full());
    CHECK(draft.lines().back() == "        x");
  }
}

}  // namespace ws::lift
