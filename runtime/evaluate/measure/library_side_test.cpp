#include "runtime/evaluate/measure/library_side.h"

#include <doctest/doctest.h>

#include "runtime/evaluate/measure/library_arguments.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

/// A problem with these arguments whose reference does nothing.
Problem problem_of(const std::string& op, const std::string& args) {
  const auto problem =
      parse_problem(R"({"name": "p", "op": ")" + op +
                    R"(", "dims": {"m": [3], "n": [4], "k": [5], "b": [2], "one": [1],
          "heads": [8], "kv": [2], "s": [6], "t": [7], "d": [64]}, "args": [)" +
                    args + R"(], "reference": {"kind": "kernel", "language": "cuda", "entry": "r",
          "source": "__global__ void r() {}\n",
          "launches": [{"entry": "r", "grid": ["1"], "block": ["1"], "args": []}]}})");
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  return *problem;
}

const Workload kLibraryWorkload{{{"m", 3},
                                 {"n", 4},
                                 {"k", 5},
                                 {"b", 2},
                                 {"one", 1},
                                 {"heads", 8},
                                 {"kv", 2},
                                 {"s", 6},
                                 {"t", 7},
                                 {"d", 64}},
                                {{"alpha", 0.5}, {"scale", 0.25}, {"beta", 2}}};

Result<LibraryCall> call_of(const std::string& name, const std::string& op,
                            const std::string& args) {
  const Problem problem = problem_of(op, args);
  const auto plan = resolve_plan(problem, *problem.reference, kLibraryWorkload, {});
  REQUIRE_MESSAGE(plan.has_value(), to_text(plan.error()));
  return library_call(*library_baseline_of(name), problem, *plan, kLibraryWorkload);
}

GemmCall gemm_of(const std::string& args) {
  const auto call = call_of("cublas", "matmul", args);
  REQUIRE_MESSAGE(call.has_value(), to_text(call.error()));
  return std::get<GemmCall>(*call);
}

AttentionCall attention_of(const std::string& name, const std::string& args) {
  const auto call = call_of(name, "attention", args);
  REQUIRE_MESSAGE(call.has_value(), to_text(call.error()));
  return std::get<AttentionCall>(*call);
}

/// The message after the problem's id.
std::string reason_of(const std::string& name, const std::string& op, const std::string& args) {
  const auto call = call_of(name, op, args);
  if (call) {
    return "called";
  }
  CHECK(call.error().code == ErrorCode::kUnsupported);
  CHECK(call.error().hint == "choose `root`, `parent`, `reference`, `none` or a kernel id");
  const std::string id = problem_of(op, args).id;
  const std::string& message = call.error().message;
  const std::size_t at = message.find(id);
  REQUIRE_MESSAGE(at != std::string::npos, message);
  return message.substr(0, at) + "P" + message.substr(at + id.size());
}

std::string arg(const std::string& name, const std::string& type, const std::string& shape,
                const std::string& role = "in", const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "type": ")" + type + R"(", "shape": )" + shape +
         R"(, "role": ")" + role + "\"" + more + "}";
}

std::string all(std::initializer_list<std::string> args) {
  std::string text;
  for (const std::string& each : args) {
    text += (text.empty() ? "" : ", ") + each;
  }
  return text;
}

void check(const GemmMatrix& matrix, std::uint32_t buffer, std::int64_t batch, std::int64_t row,
           std::int64_t column) {
  CHECK(matrix.buffer == buffer);
  CHECK(matrix.batch_stride == batch);
  CHECK(matrix.row_stride == row);
  CHECK(matrix.column_stride == column);
}

}  // namespace

TEST_SUITE("measure.library_side") {
  TEST_CASE("the names of extents say what is multiplied by what") {
    const GemmCall plain =
        gemm_of(all({arg("A", "f32", R"(["m", "k"])"), arg("B", "f32", R"(["k", "n"])"),
                     arg("C", "f32", R"(["m", "n"])", "out")}));
    CHECK(plain.type == DType::kF32);
    CHECK(plain.result == DType::kF32);
    CHECK(plain.batch == 1);
    CHECK(plain.m == 3);
    CHECK(plain.n == 4);
    CHECK(plain.k == 5);
    CHECK(plain.alpha == 1);
    check(plain.a, 0, 0, 5, 1);
    check(plain.b, 1, 0, 4, 1);
    check(plain.c, 2, 0, 4, 1);

    const GemmCall transposed =
        gemm_of(all({arg("A", "f16", R"(["k", "m"])"), arg("B", "f16", R"(["n", "k"])"),
                     arg("C", "f32", R"(["m", "n"])", "out")}));
    CHECK(transposed.type == DType::kF16);
    CHECK(transposed.result == DType::kF32);
    CHECK(transposed.k == 5);
    check(transposed.a, 0, 0, 1, 3);
    check(transposed.b, 1, 0, 1, 5);

    const GemmCall swapped =
        gemm_of(all({arg("W", "bf16", R"(["k", "n"])"), arg("C", "bf16", R"(["m", "n"])", "out"),
                     arg("x", "bf16", R"(["m", "k"])")}));
    check(swapped.a, 2, 0, 5, 1);
    check(swapped.b, 0, 0, 4, 1);
    check(swapped.c, 1, 0, 4, 1);

    const GemmCall square =
        gemm_of(all({arg("A", "f64", R"(["n", "n"])"), arg("B", "f64", R"(["n", "n"])"),
                     arg("C", "f64", R"(["n", "n"])", "out")}));
    check(square.a, 0, 0, 4, 1);
    check(square.b, 1, 0, 4, 1);
  }

  TEST_CASE("batches, strides and a factor go along") {
    const GemmCall batched =
        gemm_of(all({arg("x", "f16", R"(["b", "m", "k"])"), arg("W", "f16", R"(["n", "k"])"),
                     arg("y", "f16", R"(["b", "m", "n"])", "out"),
                     R"({"name": "alpha", "type": "f32", "role": "scalar",
                                              "values": [0.5]})"}));
    CHECK(batched.batch == 2);
    CHECK(batched.alpha == 0.5);
    check(batched.a, 0, 15, 5, 1);
    check(batched.b, 1, 0, 1, 5);
    check(batched.c, 2, 12, 4, 1);

    const GemmCall padded =
        gemm_of(all({arg("A", "f32", R"(["m", "k"])", "in", R"(, "strides": ["1", "m + 1"])"),
                     arg("B", "f32", R"(["k", "n"])", "in", R"(, "strides": ["n + 2", "1"])"),
                     arg("C", "f32", R"(["m", "n"])", "out")}));
    check(padded.a, 0, 0, 1, 4);
    check(padded.b, 1, 0, 6, 1);

    // The stride of a single row says nothing, and a batch may be one matrix.
    const GemmCall lone =
        gemm_of(all({arg("A", "f32", R"(["one", "k"])", "in", R"(, "strides": ["0", "1"])"),
                     arg("B", "f32", R"(["k", "n"])", "in", R"(, "strides": ["1", "k"])"),
                     arg("C", "f32", R"(["one", "n"])", "out")}));
    check(lone.a, 0, 0, 0, 1);
    check(lone.b, 1, 0, 1, 5);
    const GemmCall repeated = gemm_of(
        all({arg("A", "f32", R"(["b", "m", "k"])", "in", R"(, "strides": ["0", "k", "1"])"),
             arg("B", "f32", R"(["b", "k", "n"])"), arg("C", "f32", R"(["b", "m", "n"])", "out")}));
    check(repeated.a, 0, 0, 5, 1);
  }

  TEST_CASE("a product that the library has no call for is refused with the reason") {
    const std::string a = arg("A", "f32", R"(["m", "k"])");
    const std::string b = arg("B", "f32", R"(["k", "n"])");
    const std::string c = arg("C", "f32", R"(["m", "n"])", "out");
    const auto reason = [](std::initializer_list<std::string> args) {
      return reason_of("cublas", "matmul", all(args));
    };
    CHECK(reason({a, b, arg("bias", "f32", R"(["n"])"), c}) ==
          "cuBLAS cannot be called for P: a call takes 2 inputs and gives one output, here are 3 "
          "and 1");
    CHECK(
        reason({a, b, c, R"({"name": "beta", "type": "f32", "role": "scalar", "values": [2]})"}) ==
        "cuBLAS cannot be called for P: `beta` is a scalar, for which a call has no place");
    CHECK(reason({a, b, arg("C", "f32", R"(["m", "n"])", "inout", R"(, "fill": "zeros")")}) ==
          "cuBLAS cannot be called for P: `C` is read and written, for which a call has no place");
    CHECK(reason({arg("A", "i8", R"(["m", "k"])"), arg("B", "i8", R"(["k", "n"])"),
                  arg("C", "i32", R"(["m", "n"])", "out")}) ==
          "cuBLAS cannot be called for P: `A` is i8; it multiplies f16, bf16, f32, tf32 and f64");
    CHECK(reason({a, arg("B", "f16", R"(["k", "n"])"), c}) ==
          "cuBLAS cannot be called for P: `A` is f32 and `B` f16");
    CHECK(reason({a, b, arg("C", "f16", R"(["m", "n"])", "out")}) ==
          "cuBLAS cannot be called for P: a product of f32 is not written as f16");
    CHECK(reason({a, arg("B", "f32", R"(["m", "n"])"), c}) ==
          "cuBLAS cannot be called for P: A[m, k] and B[m, n] are not multiplied to C[m, n] by the "
          "names of their extents");
    CHECK(reason({a, arg("B", "f32", R"(["b", "k", "n"])"), c}) ==
          "cuBLAS cannot be called for P: A[m, k] and B[b, k, n] are not multiplied to C[m, n] by "
          "the names of their extents");
    CHECK(reason({arg("A", "f32", R"(["m", "k"])", "in", R"(, "strides": ["2*k", "2"])"), b, c}) ==
          "cuBLAS cannot be called for P: neither rows nor columns of A[m, k] are dense");
    for (const char* strides :
         {R"(["0", "1"])", R"(["1", "0"])", R"(["1", "1"])", R"(["k - 1", "1"])"}) {
      CAPTURE(strides);
      CHECK(
          reason({arg("A", "f32", R"(["m", "k"])", "in", std::string(R"(, "strides": )") + strides),
                  b, c}) == "cuBLAS cannot be called for P: rows or columns of A[m, k] overlap");
    }
  }

  TEST_CASE("attention takes queries, keys and values of one batch or several") {
    const AttentionCall plain = attention_of(
        "cudnn",
        all({arg("Q", "f16", R"(["heads", "s", "d"])"), arg("K", "f16", R"(["kv", "t", "d"])"),
             arg("V", "f16", R"(["kv", "t", "d"])"),
             arg("O", "f16", R"(["heads", "s", "d"])", "out")}));
    CHECK(plain.type == DType::kF16);
    CHECK(plain.batch == 1);
    CHECK(plain.heads == 8);
    CHECK(plain.kv_heads == 2);
    CHECK(plain.queries == 6);
    CHECK(plain.keys == 7);
    CHECK(plain.width == 64);
    CHECK(plain.value_width == 64);
    CHECK(plain.scale == 0.125);
    CHECK_FALSE(plain.causal);
    CHECK(plain.q.strides == std::array<std::int64_t, 3>{8 * 6 * 64, 6 * 64, 64});
    CHECK(plain.v.buffer == 2);

    const AttentionCall named =
        attention_of("cudnn:causal", all({arg("out", "bf16", R"(["b", "heads", "s", "d"])", "out"),
                                          arg("value", "bf16", R"(["b", "heads", "t", "d"])"),
                                          arg("key", "bf16", R"(["b", "heads", "t", "d"])"),
                                          arg("query", "bf16", R"(["b", "heads", "s", "d"])"),
                                          R"({"name": "scale", "type": "f32", "role": "scalar",
                                 "values": [0.25]})"}));
    CHECK(named.batch == 2);
    CHECK(named.causal);
    CHECK(named.scale == 0.25);
    CHECK(named.q.buffer == 3);
    CHECK(named.k.buffer == 2);
    CHECK(named.v.buffer == 1);
    CHECK(named.o.buffer == 0);
    CHECK(named.k.strides == std::array<std::int64_t, 3>{8 * 7 * 64, 7 * 64, 64});
  }

  TEST_CASE("an attention that the library has no call for is refused with the reason") {
    const std::string q = arg("Q", "f16", R"(["heads", "s", "d"])");
    const std::string k = arg("K", "f16", R"(["kv", "t", "d"])");
    const std::string v = arg("V", "f16", R"(["kv", "t", "d"])");
    const std::string o = arg("O", "f16", R"(["heads", "s", "d"])", "out");
    const auto reason = [](std::initializer_list<std::string> args) {
      return reason_of("cudnn", "attention", all(args));
    };
    CHECK(reason({q, k, o}) ==
          "cuDNN cannot be called for P: a call takes 3 inputs and gives one output, here are 2 "
          "and 1");
    CHECK(reason({arg("Q", "f32", R"(["heads", "s", "d"])"), k, v, o}) ==
          "cuDNN cannot be called for P: `Q` is f32; it takes f16, or bf16, for all");
    CHECK(reason({q, arg("K", "bf16", R"(["kv", "t", "d"])"), v, o}) ==
          "cuDNN cannot be called for P: `K` is bf16; it takes f16, or bf16, for all");
    CHECK(
        reason({q, arg("K", "f16", R"(["t", "d"])"), v, o}) ==
        "cuDNN cannot be called for P: K[t, d] is neither [heads, rows, width] nor [batch, heads, "
        "rows, width], as all have to be");
    CHECK(reason({q, k, v,
                  arg("O", "f16", R"(["heads", "s", "d"])", "out",
                      R"(, "strides": ["2*s*d", "2*d", "2"])")}) ==
          "cuDNN cannot be called for P: the last extent of O[heads, s, d] is not dense");
    CHECK(reason({q, arg("K", "f16", R"(["kv", "s", "d"])"), v, o}) ==
          "cuDNN cannot be called for P: Q[heads, s, d], K[kv, s, d] and V[kv, t, d] do not give "
          "O[heads, s, d]");
  }

  TEST_CASE("a library is a baseline of its own op only") {
    const Problem problem = problem_of("softmax", arg("C", "f32", R"(["m", "n"])", "out"));
    const Status other = check_library_op(*library_baseline_of("cudnn:causal"), problem);
    REQUIRE_FALSE(other.has_value());
    CHECK(
        to_text(other.error()) ==
        "invalid_argument: `cudnn:causal` is a baseline of problems with the op `attention`, and " +
            problem.id +
            " has the op `softmax`; choose `root`, `parent`, `reference`, `none` or a kernel id");
    CHECK(check_library_op(*library_baseline_of("cublas"),
                           problem_of("matmul", arg("C", "f32", R"(["m", "n"])", "out")))
              .has_value());
    CHECK_FALSE(library_baseline_of("cublaslt").has_value());
  }
}

}  // namespace ws
