// A kernel as others write them: cuda::barrier, tiles in flat arrays, a class that hands out tiles.
// What lift_to_ir makes of it, and mistakes in it that are found without a GPU.
#include <doctest/doctest.h>

#include "tests/support/golden.h"
#include "tests/support/ring_kernel.h"

namespace ws::test {
namespace {

/// @param more_args  Of the launch, behind the usual ones.
LiftedRing lifted(const Edits& edits = {}, const Json& more_args = Json::array()) {
  RingForm form;
  form.args.insert(form.args.end(), more_args.begin(), more_args.end());
  return lift_ring(ring_source(edits), form);
}

}  // namespace

TEST_SUITE("tools.lift_barrier") {
  TEST_CASE("a ring with barriers in C++ lifts whole and computes what the problem asks for") {
    const LiftedRing program = lifted();
    CHECK(program.lift["verdict"] == "lifted");
    CHECK(program.lift["holes"].empty());
    CHECK(program.lift["not_lifted"].empty());
    REQUIRE(program.lift.contains("ir"));
    check_golden("tests/golden/lift/barrier_ring.cuir", program.lift["ir"]);
    CHECK(program.verified("race_only", 14)["verdict"] == "ok");
    const Json computed = program.verified("f32", 2);
    CHECK_MESSAGE(computed["verdict"] == "ok", computed.dump());
  }

  TEST_CASE("a mistake in the barriers is one of the program") {
    struct Case {
      Edits::value_type edit;
      const char* found;
    };

    const Case kCases[] = {
        {{"init(&full[i], CONSUMERS + 1)", "init(&full[i], CONSUMERS)"}, "over_arrival"},
        {{"init(&empty[i], CONSUMERS + 1)", "init(&empty[i], CONSUMERS + 2)"}, "deadlock"},
        {{"(BM + BN) * BK * sizeof(half));", "(BM + BN) * BK);"}, "wrong_expect_tx"},
        {{"empty[stage].wait(empty[stage].arrive());", "empty[stage].arrive();"},
         "read_before_wait"},
        {{"full[stage].arrive_and_wait();", "full[stage].arrive();"}, "read_before_wait"},
        {{"if (stage == STAGES) stage = 0;\n          empty",
          "if (stage == STAGES - 1) stage = 0;\n          empty"},
         "deadlock"},
    };
    for (const Case& c : kCases) {
      CAPTURE(c.edit.second);
      const Json checked = lifted({c.edit}).verified("race_only", 14);
      CHECK_MESSAGE(checked["verdict"] == c.found, checked["summary"]);
    }
  }

  TEST_CASE("a statement without a form in CuIR is reported, and stays as a comment") {
    struct Case {
      Edits::value_type edit;
      const char* why;
    };

    const Case kCases[] = {
        {{"ws::wgmma_commit();",
          "asm volatile(\"{ .reg .b32 far; mapa.shared::cluster.u32 far, %0, 0; "
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far]; }\" ::\"r\"(stage));"},
         "`mbarrier.arrive.release.cluster.shared::cluster.b64`: on a barrier of another block of "
         "the cluster"},
        {{"row = place / across * BM;", "row = place / across * BM + __popc(all);"},
         "a loop whose condition has no form in CuIR"},
        {{"ws::wgmma_commit();", "stage == 0 && (ws::wgmma_commit(), true);"},
         "`&&`: what is done under a condition has a form as an `if` only"},
        {{"ws::wgmma_commit();", "(void)(stage == 0 ? (ws::wgmma_commit(), 1) : 0);"},
         "`?:`: what is done under a condition has a form as an `if` only"},
    };
    for (const Case& c : kCases) {
      const LiftedRing program = lifted({c.edit});
      CHECK(program.lift["verdict"] == "partial");
      CHECK_MESSAGE(program.lift["not_lifted"][0]["why"] == c.why,
                    program.lift["not_lifted"].dump());
    }
  }

  TEST_CASE("a synchronisation in an expression stands where it is reached") {
    const auto has = [](const LiftedRing& program, const std::string& lines) {
      REQUIRE(program.lift["verdict"] == "lifted");
      const std::string text = program.lift["ir"];
      CHECK_MESSAGE(text.find(lines) != std::string::npos, text);
    };
    const std::string commit =
        "                if stage == 0:  # @ source:91-91\n"
        "                    commit_group(\"wgmma\")  # @ source:91-91\n";
    has(lifted({{"ws::wgmma_commit();", "stage == 0 ? ws::wgmma_commit() : (void)0;"}}), commit);
    has(lifted(
            {{"ws::wgmma_commit();",
              "auto commit = [&] { if (stage == 0) ws::wgmma_commit(); }; commit(), commit();"}}),
        commit + commit);
  }

  TEST_CASE("a parameter is what the plan gives it, and memory without a name is a hole's") {
    struct Case {
      const char* param;
      const char* statement;
      Json argument;
      const char* line;
    };

    const Case kCases[] = {
        {"int more", "stage = more;", {{"value", "2"}, {"type", "i32"}}, "stage = 2"},
        {"int more",
         "stage = more;",
         {{"value", "k // 64 + m"}, {"type", "i32"}},
         "stage = self.k // 64 + self.m"},
        {"float more",
         "if (more > 1) stage = 1;",
         {{"value", "1.5"}, {"type", "f32"}},
         "stage = self.hole_1(stage)"},
        {"const int* more", "stage = more[0];", {{"null", true}}, "stage = self.hole_1(stage)"},
        {"const short* more",
         "stage = more[0];",
         {{"buffer", "C"}, {"offset", "n"}},
         "stage = self.hole_1(stage)"},
    };
    for (const Case& c : kCases) {
      const std::string param = std::string("int k, ") + c.param + ") {";
      const std::string statement = std::string("--group;\n    ") + c.statement;
      const LiftedRing program =
          lifted({{"int k) {", param}, {"--group;", statement}}, Json::array({c.argument}));
      CAPTURE(program.lift.dump());
      const bool hole = std::string(c.line).find("hole") != std::string::npos;
      CHECK(program.lift["verdict"] == (hole ? "partial" : "lifted"));
      CHECK(program.lift["ir"].get<std::string>().find(std::string("        ") + c.line + "  #") !=
            std::string::npos);
      CHECK(program.verified("race_only", 1)["verdict"] != "check_error");
    }
  }
}

}  // namespace ws::test
