// lift_to_ir as agents call it: our own kernels, ladder styles, and input that cannot be lifted.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json example(const std::string& path) {
  return Json::parse(ir::repository_file("examples/kernels/" + path + ".json"));
}

Json lifted(const std::string& kernel_id, Json more = {{"detail", "full"}}) {
  more["kernel_id"] = kernel_id;
  return tools().result("lift_to_ir", more);
}

/// The verdict of verify_ir on the lifted program against the kernel itself, on the CPU engine.
Json compared(const std::string& kernel_id, const std::string& ir) {
  return tools().result("verify_ir", {{"kernel_id", kernel_id}, {"ir", ir}, {"schedules", 2}});
}

std::string compiled(const std::string& problem, const std::string& kernel) {
  return tools().compiled(example(problem + "/problem"), example(problem + "/" + kernel));
}

struct Row {
  const char* problem;
  const char* kernel;
};

// Element by element, products by tiles, reductions by trees and by shuffles.
constexpr Row kWhole[] = {
    {"vadd", "naive"},
    {"vadd", "vector4"},
    {"vadd", "grid_stride"},
    {"vadd_half", "naive"},
    {"matmul", "naive"},
    {"matmul", "tiled16"},
    {"matmul", "tiled32x8"},
    {"matmul", "thread_tile"},
    {"softmax", "block_per_row"},
    {"softmax", "warp_per_row"},
    {"layernorm", "warp_per_row"},
    {"layernorm", "thread_per_row"},
    {"transpose", "naive"},
    {"transpose", "tiled"},
    {"reduction", "one_block"},
    {"attention-plain", "attention_plain"},
};

}  // namespace

TEST_SUITE("tools.lift_to_ir") {
  TEST_CASE("a lifted program computes what its kernel computes") {
    for (const Row& row : kWhole) {
      CAPTURE(std::string(row.problem) + "/" + row.kernel);
      const std::string id = compiled(row.problem, row.kernel);
      const Json output = lifted(id);
      CHECK(output["summary"] == "lifted");
      REQUIRE(output.contains("ir"));
      CHECK(output["holes"].empty());
      CHECK(output["not_lifted"].empty());
      const Json check = compared(id, output["ir"]);
      CHECK(check["verdict"] == "ok");
      CHECK(check["against"] == id);
    }
  }

  TEST_CASE("another constant in the kernel is another one in the program") {
    Json kernel = example("softmax/warp_per_row");
    const std::string ir = lifted(compiled("softmax", "warp_per_row"))["ir"];
    kernel["source"] =
        replaced(kernel["source"], "expf(in[i] - most) / sum", "2.5f * expf(in[i] - most) / sum");
    const std::string id = tools().compiled(example("softmax/problem"), kernel);
    const std::string other = lifted(id)["ir"];
    CHECK(other != ir);
    CHECK(compared(id, other)["verdict"] == "ok");
    CHECK(compared(id, ir)["verdict"] == "incorrect");
  }

  TEST_CASE("tiles in shared memory stay copies and barriers, tied to their lines") {
    const std::string ir = lifted(compiled("matmul", "tiled16"))["ir"];
    const std::string want =
        "            copy(self.As, load(self.A, (blockIdx.y, k0_step), (16, 16)))  # @ "
        "source:11-11\n"
        "            copy(self.Bs, load(self.B, (k0_step, blockIdx.x), (16, 16)))  # @ "
        "source:12-12\n"
        "            cta_sync()  # @ source:13-13\n"
        "            sum_ = mma(self.As, self.Bs, sum_)  # @ source:15-15\n"
        "            cta_sync()  # @ source:17-17\n";
    CHECK(ir.find(want) != std::string::npos);
  }

  TEST_CASE("what the kernel gives a name is a statement of its own, tied to that line") {
    const std::string ir = lifted(compiled("attention-plain", "attention_plain"))["ir"];
    const std::string want =
        "            dot = mma(q, self.Ks[0:16, 0:32].T)  # @ source:27-27\n"
        "            s = dot * self.scale  # @ source:29-29\n"
        "            s_1 = where(arange(16)[None, :] + k0_step * 16 < self.n, s, -inf)  # @ "
        "source:30-30\n"
        "            most = max(s_1, 1, keepdim=True)  # @ source:34-34\n"
        "            top = maximum(most_, most)  # @ source:34-34\n"
        "            shrink = exp(most_ - top)  # @ source:36-36\n"
        "            acc = acc_ * shrink  # @ source:39-39\n"
        "            p = exp(s_1 - top)  # @ source:42-42\n"
        "            sum_now = sum_ * shrink  # @ source:37-37\n"
        "            total = sum(p, 1, keepdim=True)  # @ source:43-43\n"
        "            acc_ = mma(p, self.Vs, acc)  # @ source:45-45\n"
        "            most_ = top  # @ source:48-48\n"
        "            sum_ = sum_now + total  # @ source:43-43\n";
    CHECK(ir.find(want) != std::string::npos);
  }

  TEST_CASE("two sums in one are two") {
    Json kernel = example("vadd/naive");
    kernel["source"] =
        "__global__ void vadd(const float* a, const float* b, float* c, int n) {\n"
        "  int i = blockIdx.x * 64 + threadIdx.x;\n  float v = 0.0f;\n"
        "  for (int j = 0; j < 8; ++j) v += a[blockIdx.x * 64 + j];\n"
        "  for (int j = 0; j < 8; ++j) v += expf(b[blockIdx.x * 64 + j]);\n"
        "  if (i < n) c[i] = v;\n}\n";
    kernel["launches"][0]["grid"] = {"cdiv(n, 64)"};
    kernel["launches"][0]["block"] = {"64"};
    Json problem = example("vadd/problem");
    problem["dims"]["n"]["multiple_of"] = 64;
    problem["dims"]["n"]["min"] = 64;
    const std::string id = tools().compiled(problem, kernel);
    CHECK(compared(id, lifted(id)["ir"])["verdict"] == "ok");
  }

  TEST_CASE("a missing barrier is reported, not lifted away") {
    Json kernel = example("matmul/tiled16");
    const std::string source = kernel["source"];
    const std::size_t first = source.find("__syncthreads();");
    kernel["source"] = std::string(source).replace(first, 16, "                ");
    const Json no_wait = lifted(tools().compiled(example("matmul/problem"), kernel));
    CHECK(no_wait["verdict"] == "partial");
    CHECK(no_wait["not_lifted"][0]["why"] ==
          "`As` is read by a thread before a barrier makes another one's write visible");
    kernel["source"] =
        std::string(source).replace(source.rfind("__syncthreads();"), 16, "                ");
    const Json too_early = lifted(tools().compiled(example("matmul/problem"), kernel));
    CHECK(too_early["not_lifted"][0]["why"] ==
          "`Bs` is written by a thread while others may still use it: a barrier is missing");
  }

  TEST_CASE("one value in several places keeps the condition of each") {
    Json kernel = example("vadd/naive");
    kernel["source"] =
        "__global__ void vadd(const float* a, const float* b, float* c, int n) {\n"
        "  int i = blockIdx.x * 512 + threadIdx.x;\n  float v = a[0] + b[0];\n"
        "  if (i < n) c[i] = v;\n  if (i + 256 < n) c[i + 256] = v;\n}\n";
    kernel["launches"][0]["grid"] = {"cdiv(n, 512)"};
    Json problem = example("vadd/problem");
    problem["reference"] = kernel;
    problem["reference"].erase("name");
    problem["reference"]["kind"] = "kernel";
    const std::string id = tools().compiled(problem, kernel);
    const Json output = lifted(id);
    CHECK(output["summary"] == "lifted");
    CHECK(compared(id, output["ir"])["verdict"] == "ok");
    kernel["source"] = replaced(kernel["source"], "i + 256 < n", "i + 256 < n - 100");
    const Json apart = lifted(tools().compiled(problem, kernel));
    CHECK(apart["summary"] == "lifted");
    CHECK(apart["ir"].get<std::string>().find("256 < self.n - 100)") != std::string::npos);
  }

  TEST_CASE("what is not understood is a hole, and its barriers stand outside") {
    const std::string id = compiled("histogram", "shared_atomics");
    const Json output = lifted(id);
    CHECK(output["verdict"] == "partial");
    CHECK(output["holes"].size() == 3);
    CHECK(output["holes"][0]["id"] == "hole_1");
    const std::string ir = output["ir"];
    CHECK(ir.find("        cta_sync()  # @ source:7-7\n") != std::string::npos);
    SUBCASE("holes may be filled with values") {
      const std::string filled = replaced(ir, "        pass", "        return 0");
      const Json again = lifted(id, {{"ir", filled}});
      CHECK(again["summary"] == "partial: 2 holes are still empty");
      CHECK(again["holes"] == Json{"hole_2", "hole_3"});
    }
    SUBCASE("and with nothing else") {
      const auto refused = [&](const std::string& body) {
        return tools().refusal(
            "lift_to_ir",
            {{"kernel_id", id}, {"ir", replaced(ir, "        pass", "        " + body)}});
      };
      CHECK(refused("cta_sync()") ==
            "invalid_argument: `hole_1` uses `cta_sync`: a hole computes values and nothing else; "
            "synchronisation and memory stay where the kernel has them");
      CHECK(refused("return self.x") ==
            "invalid_argument: `hole_1` uses `self`: it may touch only what it is given; its "
            "parameters are its inputs, and it returns its outputs");
      CHECK(
          tools().refusal("lift_to_ir",
                          {{"kernel_id", id},
                           {"ir", replaced(ir, "        cta_sync()  # @ source:7-7\n", "")}}) ==
          "invalid_argument: `ir` changes more than the bodies of holes; fill the methods hole_1, "
          "hole_2, ... and leave the rest as lift_to_ir wrote it");
    }
  }

  TEST_CASE("a plan of several launches is lifted one by one") {
    const std::string id = compiled("reduction", "two_launches");
    const Json output = lifted(id, {{"launch", 1}});
    CHECK(output["summary"] ==
          "partial: line 0: the plan has 2 launches, and a program is one: this is launch 1");
    CHECK(output["next_steps"][0]["why"] ==
          "read the program in `ir`, which an answer with `detail` `full` has; verify_ir compares "
          "programs of whole plans, and this is launch 1 of 2");
    CHECK(tools().refusal("lift_to_ir", {{"kernel_id", id}, {"launch", 2}}) ==
          "invalid_argument: `launch` is 2: the kernel has 2 launches, numbered from 0");
  }

  TEST_CASE("source that does not compile has diagnostics, inline assembly a reason") {
    Json kernel = example("vadd/naive");
    kernel["source"] =
        "__global__ void vadd(const float* a, const float* b, float* c, int n) { c[0] = d; }\n";
    kernel["launches"][0]["entry"] = "vadd";
    const Json wrong = tools().result("compile_kernel",
                                      {{"problem", example("vadd/problem")}, {"kernel", kernel}});
    const Json output = lifted(wrong["kernel_id"]);
    CHECK(output["summary"] ==
          "failed: the source does not compile: use of undeclared identifier 'd'");
    CHECK(output["diagnostics"][0]["line"] == 1);
    kernel["source"] =
        "__global__ void vadd(const float* a, const float* b, float* c, int n) {\n  float x;\n"
        "  asm(\"mov.f32 %0, 0f3f800000;\" : \"=f\"(x));\n  c[0] = x;\n}\n";
    const Json assembly = tools().result(
        "compile_kernel", {{"problem", example("vadd/problem")}, {"kernel", kernel}});
    const Json reason = lifted(assembly["kernel_id"]);
    CHECK(reason["summary"] == "failed: line 3: inline assembly");
    CHECK_FALSE(reason.contains("ir"));
    const std::string id = assembly["kernel_id"];
    CHECK(reason["next_steps"][0] ==
          Json{{"read", "kernel://" + id + "/annotated"},
               {"why",
                "write the program yourself, from the annotated source, and send it to verify_ir "
                "as `ir`, with `kernel_id` " +
                    id}});
  }

  TEST_CASE("program, regions and annotated source are resources") {
    const std::string id = compiled("matmul", "tiled16");
    const auto text = [&](const std::string& part) {
      const auto resource = tools().resources().read("kernel://" + id + "/" + part);
      REQUIRE(resource.has_value());
      return resource->text;
    };
    CHECK(text("ir") == lifted(id)["ir"].get<std::string>());
    CHECK(text("annotated")
              .find("__syncthreads();  // ws_rt_syncthreads: waits for all threads of "
                    "the block [cta_sync()]") != std::string::npos);
    CHECK(text("regions").find("source:13-13   block           |  | cta_sync() | ") !=
          std::string::npos);
  }
}

}  // namespace ws::test
