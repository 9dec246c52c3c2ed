#include "runtime/ir/syntax/ops.h"

#include <set>

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

TEST_SUITE("ir.ops") {
  TEST_CASE("every operation has a name of its own and can be found by it") {
    std::set<std::string_view> names;
    for (const OpInfo& info : all_ops()) {
      CAPTURE(info.name);
      CHECK(names.insert(info.name).second);
      CHECK(find_op(info.name) == info.op);
      CHECK(info_of(info.op).name == info.name);
      CHECK_FALSE(info.meaning.empty());
    }
    CHECK_FALSE(find_op("exq"));
  }

  TEST_CASE("a signature says name, kind and whether the argument may be left out") {
    const std::vector<OpParam>& params = info_of(Op::kCopyAsync).params;
    REQUIRE(params.size() == 7);
    CHECK(params[1].name == "source");
    CHECK(params[1].kind == ArgKind::kBuffer);
    CHECK(params[1].required);
    CHECK(params[2].kind == ArgKind::kBarrier);
    CHECK_FALSE(params[2].required);
    CHECK(info_of(Op::kBind).params.back().repeated);
    CHECK(info_of(Op::kBind).params.back().name == "index");
    CHECK(info_of(Op::kCtaSync).params.empty());
  }

  TEST_CASE("an argument kind that the list does not know is found") {
    for (const OpInfo& info : all_ops()) {
      for (const OpParam& param : info.params) {
        const bool any = info.op == Op::kLen || info.op == Op::kFloat || info.op == Op::kInt ||
                         (info.op == Op::kAtBlock && param.name == "x");
        CAPTURE(info.name);
        CHECK((param.kind == ArgKind::kAny) == any);
      }
    }
  }
}

}  // namespace
}  // namespace ws::ir
