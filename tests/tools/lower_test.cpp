// apply_transformation with a target program: windows, edits, and what is found wrong with them.
#include <doctest/doctest.h>

#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

std::string causal() {
  return with_text(attention().ir, kScore, kCausalScore);
}

struct Refused {
  const char* name;
  const char* old;  // In the lifted program.
  const char* now;
  const char* message;
};

// Targets that nothing can be lowered to.
constexpr Refused kTargets[] = {
    {"another class", "class AttentionPlain", "class Softmax",
     "invalid_argument: `target_ir` is of another kernel: its class is `Softmax`, and this "
     "kernel's "
     "is `AttentionPlain`; begin with the program that lift_to_ir gives, and change that"},
    {"an argument less", "def __init__(self, Q, K, V, O, scale, h, n)",
     "def __init__(self, Q, K, V, O, scale, n)",
     "invalid_argument: `target_ir` is of another kernel: it has no argument `h`; begin with the "
     "program that lift_to_ir gives, and change that"},
    {"nothing changed", "# @ source:30-30", "# @ source:1-50",
     "invalid_argument: `target_ir` is the lifted program, unchanged; change the computation, then "
     "send it again"},
    {"a syntax error", "s = dot * self.scale", "s = dot * * self.scale",
     "invalid_argument: `target_ir` does not parse: the program has 1 error, the first at 24:23: "
     "expected a value, got `*`; 24:23: expected a value, got `*`\n              s = dot * * "
     "self.scale  # @ source:29-29\n                        ^\n"},
    {"a barrier less", "            cta_sync()  # @ source:22-22\n", "",
     "invalid_argument: `target_ir` changes the kernel's structure: `cta_sync()` is gone from "
     "`run`; keep copies, products, barriers and loops, or have the tiles of other parameters "
     "(tried 5); verify_ir with `ir` and `target_ir` lists what has to stay"},
    {"a new argument", "scale, h, n)", "scale, h, n, slopes)",
     "invalid_argument: `target_ir` has arguments that PROBLEM does not give; send a `problem` "
     "that has them, or name one by `problem_id`"},
};

struct Tried {
  const char* name;
  const char* text;  // In place of the score's line.
  const char* verdict;
  const char* reason;
};

// Edits inside the window that do not make the kernel what the target says.
constexpr Tried kWrong[] = {
    {"one key too few", "      s[j] = k0 + j < n && k0 + j < row + 0 * n ? s[j] : -INFINITY;",
     "incorrect_nan", ""},
    {"nothing done", "      s[j] = k0 + j < n && 0 <= row ? s[j] : -INFINITY;", "incorrect", ""},
    {"it does not compile", "      s[j] = k0 + j < m ? s[j] : -INFINITY;", "compile_error",
     "use of undeclared identifier 'm'"},
    {"another operation", "      s[j] = k0 + j < n && k0 + j <= row ? tanhf(s[j]) : -INFINITY;",
     "other_order", "after `product` the target has `max`, and the kernel `tanh`"},
    {"a barrier more",
     "      s[j] = k0 + j < n && k0 + j <= row ? s[j] : -INFINITY; __syncthreads();", "other_sync",
     "the edited kernel synchronises differently: `cta_sync()` stands 3 times in it, and stood 2 "
     "times"},
    {"a way out", "      s[j] = k0 + j <= row ? s[j] : -INFINITY; if (s[j] > 1e30f) break;",
     "not_lifted",
     "the edited kernel is not lifted completely: line 30: control flow that depends on a "
     "condition that is not known"},
    {"a macro that reaches further",
     "      s[j] = k0 + j < n && k0 + j <= row ? s[j] : -INFINITY;\n#define expf(x) (x)",
     "other_region", "a region outside the windows has changed: Raa099ee2 (lines 36-37)"},
};

}  // namespace

TEST_SUITE("tools.lower") {
  TEST_CASE("a changed statement is a window of the lines that it stands for") {
    const Json output = attention().lower(causal());
    CHECK(output["summary"] == "the target changes 1 window of " + attention().kernel_id);
    CHECK(output["rules"] == Json{"R3"});
    REQUIRE(output["editable"].size() == 1);
    const Json& window = output["editable"][0];
    CHECK(window["region"] == "source");
    CHECK(window["from"] == kScoreLine);
    CHECK(window["to"] == kScoreLine);
    CHECK(window["lines"][0]["text"] == attention().line(kScoreLine));
    CHECK(window["was"] == Json{kScore});
    CHECK(window["becomes"] == Json{kCausalScore});
    CHECK(output["instruction"].get<std::string>().find("The mask is constant on most tiles") !=
          std::string::npos);
  }

  TEST_CASE("an edit in the window is judged against the target, and recorded") {
    const Json edit = attention().replace(kScoreLine, kCausalLine);
    const Json output = attention().lower(causal(), Json::array({edit}));
    CHECK(output["verdict"] == "passed");
    CHECK(output["applied"] == true);
    CHECK(output["parent"] == attention().kernel_id);
    CHECK(output["validation"]["verdict"] == "passed");
    CHECK(output["validation"]["reference"]["kind"] == "cuir");
    const auto history =
        tools().services().archive->pass_history(output["kernel_id"].get<std::string>());
    REQUIRE(history.has_value());
    REQUIRE(history->size() == 1);
    CHECK(history->back().transformation == "lower");
    CHECK(history->back().base_id == attention().kernel_id);
    const Json again = attention().lower(causal());
    CHECK(again["statistics"].dump().find("\"passed\"") != std::string::npos);
  }

  TEST_CASE("a target that nothing can be lowered to is refused") {
    const std::string problem =
        tools().result("compile_kernel", {{"kernel_id", attention().kernel_id}})["problem_id"];
    for (const Refused& row : kTargets) {
      CAPTURE(std::string(row.name));
      const std::string text = attention().refusal(with_text(attention().ir, row.old, row.now));
      const std::size_t at = text.find(problem);
      CHECK((at == std::string::npos ? text : with_text(text, problem, "PROBLEM")) ==
            std::string(row.message));
    }
    CHECK(tools().refusal("apply_transformation", {{"kernel_id", attention().kernel_id},
                                                   {"target_ir", causal()},
                                                   {"transformation", "refactor"}}) ==
          "invalid_argument: give only one of `transformation` and `target_ir`");
  }

  TEST_CASE("a target's own marks are not believed") {
    std::string target = causal();
    for (const char* mark : {"# @ source:30-30", "# @ source:29-29"}) {
      target = with_text(target, mark, "# @ source:1-53 R7");
    }
    const Json output = attention().lower(target);
    REQUIRE(output["editable"].size() == 1);
    CHECK(output["editable"][0]["from"] == kScoreLine);
    CHECK(output["editable"][0]["to"] == kScoreLine);
  }

  TEST_CASE("edits elsewhere are refused, with the nearest window") {
    Json edits = {attention().replace(27, "        dot += q[d];"),
                  attention().replace(kScoreLine, kCausalLine),
                  {{"op", "insert"}, {"from", 33}, {"text", "    top = 0.0f;"}}};
    const Json output = attention().lower(causal(), edits);
    CHECK(output["applied"] == false);
    CHECK(output["verdict"] == "refused");
    CHECK(output["kernel_id"] == attention().kernel_id);
    CHECK(output["refused"] ==
          Json{{{"edit", "edits[0]"},
                {"reason", "line 27 is in no window; the nearest is source:30"}},
               {{"edit", "edits[2]"},
                {"reason", "line 33 is in no window; the nearest is source:30"}}});
    const Json set =
        tools().result("apply_transformation", {{"kernel_id", attention().kernel_id},
                                                {"target_ir", causal()},
                                                {"set", {{"defaults", {{"BM", 64}, {"BN", 16}}}}}});
    CHECK(set["reason"] == "set: the target does not change the plan");
  }

  TEST_CASE("an insertion after a window's last line belongs to it") {
    const Json edits = {{{"op", "insert"},
                         {"from", kScoreLine + 1},
                         {"text", "      s[j] = k0 + j <= row ? s[j] : -INFINITY;"}}};
    CHECK(attention().lower(causal(), edits)["verdict"] == "passed");
  }

  TEST_CASE("an edit that is not what the target says is found") {
    for (const Tried& row : kWrong) {
      CAPTURE(std::string(row.name));
      const Json edit = attention().replace(kScoreLine, row.text);
      const Json output = attention().lower(causal(), Json::array({edit}));
      CHECK(output["applied"] == false);
      CHECK(output["verdict"] == std::string(row.verdict));
      CHECK(output["kernel_id"] == attention().kernel_id);
      if (*row.reason != '\0') {
        CHECK(output["reason"] == std::string(row.reason));
      }
    }
  }

  TEST_CASE("a kernel that is not lifted wholly cannot be lowered to") {
    const LoweredFrom two = lifted_example("reduction", "two_launches");
    CHECK(two.refusal(two.ir) ==
          "unsupported: the kernel is not lifted completely: line 0: the plan has 2 launches, and "
          "a program is one: this is launch 0; lift_to_ir lists the statements that cannot be "
          "lifted; change them by compile_kernel first");
  }
}

}  // namespace ws::test
