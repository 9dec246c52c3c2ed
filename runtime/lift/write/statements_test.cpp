#include "runtime/lift/write/statements.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

Range lines(std::int32_t first, std::int32_t last) {
  Range range;
  range.region = 0;
  range.line = first;
  range.end_line = last;
  return range;
}

struct Written {
  std::vector<std::string> regions = {"k.cu"};
  ir::TreeBuilder tree;
  Statements statements{tree, regions};

  void assign(const char* name) { statements.assign(tree.name(name), tree.integer(1), nullptr); }

  Status open(const std::string& variable) {
    return statements.open_loop(variable, tree.parsed("range(n)"), lines(1, 9));
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const ir::StmtId id : statements.body()) {
      text += ir::print_stmt(tree.program(), id, 0);
    }
    return text;
  }
};

TEST_SUITE("lift.statements") {
  TEST_CASE("statements stand in the loop that is open, with their lines of the source") {
    Written on;
    const Range range = lines(3, 4);
    on.statements.assign(on.tree.name("x"), on.tree.integer(2), &range);
    REQUIRE(on.open("i"));
    on.assign("y");
    REQUIRE(on.statements.leave(on.tree.parsed("i > 3"), lines(6, 6)));
    CHECK(on.statements.close_loop());
    on.statements.call(on.tree.parsed("store(a, 0, x)"), lines(7, 2));
    CHECK(on.text() ==
          "x = 2  # @ k.cu:3-4\n"
          "for i in range(n):  # @ k.cu:1-9\n"
          "    y = 1\n"
          "    if i > 3:  # @ k.cu:6-6\n"
          "        return\n"
          "store(a, 0, x)  # @ k.cu:7-7\n");
  }

  TEST_CASE("barriers with nothing between them are one") {
    Written on;
    on.statements.sync(lines(5, 5));
    REQUIRE(on.open("i"));
    CHECK_FALSE(on.statements.close_loop());
    on.statements.sync(lines(2, 3));
    CHECK(on.text() == "cta_sync()  # @ k.cu:2-5\n");
    on.assign("x");
    on.statements.sync(lines(7, 7));
    REQUIRE(on.open("i"));
    on.statements.sync(lines(8, 8));
    CHECK(on.statements.close_loop());
    on.statements.sync(lines(9, 9));
    CHECK(on.text() ==
          "cta_sync()  # @ k.cu:2-5\n"
          "x = 1\n"
          "cta_sync()  # @ k.cu:7-7\n"
          "for i in range(n):  # @ k.cu:1-9\n"
          "    cta_sync()  # @ k.cu:8-8\n"
          "cta_sync()  # @ k.cu:9-9\n");
  }

  TEST_CASE("statements are taken back") {
    Written on;
    on.assign("x");
    const std::size_t before = on.statements.count();
    on.assign("y");
    on.assign("z");
    on.statements.drop(before);
    CHECK(on.text() == "x = 1\n");
  }

  TEST_CASE("names are fresh") {
    Written on;
    on.statements.reserve({"x", "x_1"});
    CHECK(on.statements.fresh_name("x") == "x_2");
    CHECK(on.statements.fresh_name("x") == "x_3");
    CHECK(on.statements.fresh_name("y") == "y");
    REQUIRE(on.open("i"));
    CHECK(on.statements.fresh_name("i") == "i_1");
  }

  TEST_CASE("loops are nested as deep as the parser allows, and no deeper") {
    Written on;
    for (std::uint32_t i = 1; i < ir::kMaxBlockNesting; ++i) {
      REQUIRE(on.open("i"));
    }
    const Status deeper = on.open("i");
    REQUIRE_FALSE(deeper);
    CHECK(deeper.error().code == ErrorCode::kUnsupported);
    CHECK(deeper.error().message == "loops that are nested more than 29 deep");
    CHECK_FALSE(on.statements.leave(on.tree.name("x"), {}));
    on.assign("x");
    for (std::uint32_t i = 1; i < ir::kMaxBlockNesting; ++i) {
      CHECK(on.statements.close_loop());
    }
    ir::Method run;
    run.name = "run";
    run.body = on.statements.body();
    CHECK(ir::parse_program(ir::print(on.tree.finish("K", {run}))));
  }

  TEST_CASE("lines are joined where they are of one file") {
    Written on;
    Range range;
    CHECK(on.statements.mark(range).empty());
    widen(range, lines(5, 6));
    CHECK(on.statements.mark(range) == "# @ k.cu:5-6");
    widen(range, lines(2, 3));
    CHECK(on.statements.mark(range) == "# @ k.cu:2-6");
    Range other = lines(1, 9);
    other.region = 1;
    widen(range, other);
    CHECK(on.statements.mark(range) == "# @ k.cu:2-6");
  }
}

}  // namespace
}  // namespace ws::lift
