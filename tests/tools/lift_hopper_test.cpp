// Kernels with TMA, mbarriers and wgmma: what lift_to_ir makes of their orchestration, and mistakes
// planted in it, which lifting and verifying find without a GPU.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

struct Row {
  const char* kernel;
  std::size_t holes;     ///< gemm-f16/tma: the statement that lays the sums out for TMA.
  const char* workload;  ///< With rows, columns and keys beyond the last whole tile.
};

constexpr Row kHopper[] = {
    {"attention-f16/cp_async", 0, R"({"heads": 2, "kv_heads": 1, "s": 200, "t": 300, "d": 64})"},
    {"attention-f16/ping_pong", 0, R"({"heads": 2, "kv_heads": 1, "s": 200, "t": 300, "d": 64})"},
    {"attention-f16/tma", 0, R"({"heads": 2, "kv_heads": 1, "s": 200, "t": 300, "d": 64})"},
    {"gemm-f16/cp_async", 0, R"({"m": 200, "n": 264, "k": 136})"},
    {"gemm-f16/tma", 1, nullptr},
    {"gemm-f16/warp_specialized", 0, R"({"m": 200, "n": 264, "k": 128})"},
};

Json parsed(const std::string& path) {
  return Json::parse(ir::repository_file(path));
}

/// Rounds enough for every stage of a ring to be filled twice.
Json workload_of(const std::string& kernel) {
  return kernel.starts_with("gemm")
             ? Json{{"m", 128}, {"n", 256}, {"k", 640}}
             : Json{{"heads", 2}, {"kv_heads", 1}, {"s", 128}, {"t", 700}, {"d", 64}};
}

struct Lifted {
  Json lift;
  std::string problem_id;
  std::string kernel_id;
};

/// A kernel of examples/kernels, with edits that replace a text that is there once.
Lifted lifted(const std::string& name, const Json& edits = Json::array()) {
  const std::string folder = name.substr(0, name.find('/'));
  Json kernel = parsed("examples/kernels/" + name + ".json");
  std::string source = kernel["source"];
  for (const Json& edit : edits) {
    const std::string old = edit["old"];
    const std::size_t at = source.find(old);
    REQUIRE_MESSAGE(at != std::string::npos, old);
    REQUIRE_MESSAGE(source.find(old, at + 1) == std::string::npos, old);
    source.replace(at, old.size(), edit["new"].get<std::string>());
  }
  kernel["source"] = source;
  const Json compiled = tools().result(
      "compile_kernel",
      {{"problem", parsed("examples/kernels/" + folder + "/problem.json")}, {"kernel", kernel}});
  return {tools().result("lift_to_ir", {{"kernel_id", compiled["kernel_id"]},
                                        {"workload", workload_of(name)},
                                        {"detail", "full"}}),
          compiled["problem_id"], compiled["kernel_id"]};
}

/// The first finding of verify_ir in the order of copies, products and barriers; the outputs are
/// not compared.
Json first_finding(const std::string& name, const Lifted& program) {
  const Json checked = tools().result("verify_ir", {{"ir", program.lift["ir"]},
                                                    {"problem_id", program.problem_id},
                                                    {"mode", "race_only"},
                                                    {"workload", workload_of(name)}});
  INFO(checked.dump());
  REQUIRE(checked.contains("findings"));
  return checked["findings"].empty() ? Json() : checked["findings"][0];
}

Json compared(const Lifted& program, const char* workload) {
  return tools().result("verify_ir", {{"ir", program.lift["ir"]},
                                      {"problem_id", program.problem_id},
                                      {"mode", "f32"},
                                      {"schedules", 2},
                                      {"workload", Json::parse(workload)}});
}

}  // namespace

TEST_SUITE("tools.lift_hopper") {
  TEST_CASE("a kernel that does not run here is no reference, and its problem is one") {
    const Lifted program = lifted("attention-f16/tma");
    const Json refused =
        tools().result("verify_ir", {{"ir", program.lift["ir"]}, {"kernel_id", program.kernel_id}});
    CHECK(refused["verdict"] == "invalid_reference");
    CHECK(refused["next_steps"][0]["why"] ==
          "the kernel gives nothing to compare with here: send `problem_id` " + program.problem_id +
              " in place of `kernel_id`");
  }

  TEST_CASE("roles, rings, copies, products and barriers stand as the kernel has them") {
    for (const Row& row : kHopper) {
      const std::string name = row.kernel;
      CAPTURE(name);
      const Lifted program = lifted(name);
      REQUIRE(program.lift.contains("ir"));
      CHECK(program.lift["holes"].size() == row.holes);
      CHECK(program.lift["not_lifted"].empty());
      CHECK(program.lift["verdict"] == (row.holes == 0 ? "lifted" : "partial"));
      std::string file = name;
      file.replace(file.find('/'), 1, "_");
      check_golden("tests/golden/lift/" + file + ".cuir", program.lift["ir"]);
      CHECK(first_finding(name, program) == Json());
    }
  }

  TEST_CASE("what lifts without a hole computes what the problem asks for") {
    for (const Row& row : kHopper) {
      if (row.workload == nullptr) {
        continue;
      }
      CAPTURE(std::string(row.kernel));
      const Json checked = compared(lifted(row.kernel), row.workload);
      CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
    }
  }

  TEST_CASE("a mistake in the values is one of the program, too") {
    const Json edits = {{{"old", "x[i] = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2 < left"},
                         {"new", "x[i] = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2 <= left"}}};
    const Lifted program = lifted("attention-f16/tma", edits);
    CHECK(program.lift["verdict"] == "lifted");
    CHECK(compared(program, kHopper[0].workload)["verdict"] == "incorrect");
  }

  TEST_CASE("what threads and warps do one by one is whole, or not lifted") {
    struct Case {
      const char* kernel;
      const char* old;
      const char* now;
      const char* why;  ///< In not_lifted; nullptr: a hole stays. Empty: it is lifted, and wrong.
    };

    constexpr Case kCases[] = {
        {"gemm-f16/cp_async", "row0 + row < rows && k0 + piece * 8 < k", "row0 + row < rows",
         "may pass an edge of `A` that no condition asks about"},
        {"gemm-f16/cp_async", "row0 + row < rows && k0 + piece * 8 < k",
         "row0 + row < rows && k0 < k", "is not that of `A`'s edge"},
        {"gemm-f16/cp_async", "k0 + piece * 8 : from, inside);", "k0 + piece * 8 : from, true);",
         "reads other elements where a condition does not hold"},
        {"gemm-f16/cp_async", "    ws::cp_async_16(place(tile, row, piece),",
         R"(asm volatile("cp.async.ca.shared.global [%0], [%1], 0;"
               :: "r"(ws::shared_address(place(tile, row, piece))), "l"(from));
    ws::cp_async_16(place(tile, row, piece),)",
         "of a form, or under a condition, that is not known"},
        {"gemm-f16/cp_async", "number = threadIdx.x + i * 256, row = number / 8",
         "number = threadIdx.x + i * 256, row = number / 16", "meet in one element"},
        {"gemm-f16/cp_async",
         "place(shared.As[stage], warp_row + i * 16 + lane % 16, step * 2 + lane / 16)",
         "&shared.As[stage][warp_row + i * 16 + lane % 16][step * 16 + lane / 16 * 8]",
         "`As` is read neither by rows nor by columns"},
        {"gemm-f16/cp_async", "{b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]}",
         "{b[j / 2][j % 2 * 2 + 1], b[j / 2][j % 2 * 2]}",
         "is read neither by rows nor by columns"},
        {"gemm-f16/cp_async", "row0 + warp_row + i * 16 + lane / 4 + half_row * 8",
         "row0 + warp_row + i * 16 + lane / 4 + (1 - half_row) * 8", nullptr},
        {"gemm-f16/cp_async", "ws::cp_async_wait<STAGES - 2>();",
         "if (warp == 0) ws::cp_async_wait<STAGES - 2>();", "by some threads of a worker only"},
        {"gemm-f16/cp_async", "float acc[4][4][4] = {};",
         "float acc[4][4][4] = {}; if (row0 + tid >= m) return;", nullptr},
        {"gemm-f16/cp_async", "step < BK / 16; ++step", "step < BK / 16 - 1; ++step", ""},
        {"attention-f16/cp_async", "sum += __shfl_xor_sync(0xffffffffu, sum, 2);", "", nullptr},
        {"attention-f16/cp_async", "x[i][e] = i * 8 + threadIdx.x % 4 * 2 + e % 2 < left",
         "x[i][e] = i * 8 + threadIdx.x % 4 * 2 + e % 2 <= left", ""},
        {"attention-f16/cp_async", "acc[i][e] *= fix[e / 2];", "acc[i][e] *= fix[e % 2];", nullptr},
    };
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.now));
      const Lifted program = lifted(c.kernel, {{{"old", c.old}, {"new", c.now}}});
      const std::string said = program.lift["not_lifted"].dump();
      CAPTURE(said);
      if (c.why == nullptr) {
        CHECK(program.lift["verdict"] == "partial");
        CHECK_FALSE(program.lift["holes"].empty());
      } else if (*c.why == 0) {
        CHECK(program.lift["verdict"] == "lifted");
        const bool gemm = std::string(c.kernel).starts_with("gemm");
        CHECK(compared(program, gemm ? R"({"m": 200, "n": 264, "k": 136})"
                                     : kHopper[0].workload)["verdict"] == "incorrect");
      } else {
        CHECK(program.lift["verdict"] == "partial");
        CHECK(said.find(c.why) != std::string::npos);
      }
    }
  }

  TEST_CASE("mistakes planted in the orchestration are found without a GPU") {
    std::string said;
    for (const fs::path& file : sorted_entries(source_dir() / "tests/lift/seeded")) {
      CAPTURE(file.string());
      const Json seed =
          Json::parse(ir::repository_file("tests/lift/seeded/" + file.filename().string()));
      const std::string name = seed["kernel"];
      const Json finding = first_finding(name, lifted(name, seed["edits"]));
      CHECK(finding.is_null() == !seed["found"].get<bool>());
      said += file.stem().string() + ": " +
              (finding.is_null() ? "nothing"
                                 : finding["kind"].get<std::string>() + ": " +
                                       finding["message"].get<std::string>()) +
              "\n";
    }
    check_golden("tests/golden/lift/seeded.txt", said);
  }
}

}  // namespace ws::test
