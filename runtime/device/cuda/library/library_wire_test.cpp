#include "runtime/device/cuda/library/library_wire.h"

#include <doctest/doctest.h>

#include "runtime/device/cuda/worker/protocol.h"

namespace ws::cuda {

TEST_SUITE("device.cuda.library_wire") {
  TEST_CASE("a call arrives as it was sent") {
    GemmCall gemm{.type = DType::kF16, .result = DType::kF32, .batch = 2, .m = 3, .n = 4, .k = 5};
    gemm.b = {.buffer = 1, .batch_stride = 20, .row_stride = 1, .column_stride = 5};
    const std::string frame = encode_library({"/lib/x.so", gemm});
    CHECK(is_library(frame));
    const auto job = decode_library(frame);
    REQUIRE_MESSAGE(job.has_value(), to_text(job.error()));
    CHECK(job->path == "/lib/x.so");
    const auto& got = std::get<GemmCall>(job->call);
    CHECK(got.type == DType::kF16);
    CHECK(got.result == DType::kF32);
    CHECK(got.batch == 2);
    CHECK(got.k == 5);
    CHECK(got.b.column_stride == 5);
    CHECK(got.b.batch_stride == 20);
    AttentionCall attention{.heads = 8, .kv_heads = 2, .scale = 0.5, .causal = true};
    attention.v = {.buffer = 2, .strides = {7, 8, 9}};
    const auto other = decode_library(encode_library({"y", attention}));
    REQUIRE(other.has_value());
    CHECK(std::get<AttentionCall>(other->call).causal);
    CHECK(std::get<AttentionCall>(other->call).scale == 0.5);
    CHECK(std::get<AttentionCall>(other->call).kv_heads == 2);
    CHECK(std::get<AttentionCall>(other->call).v.strides[2] == 9);
  }

  TEST_CASE("a frame that is no call is refused") {
    CHECK_FALSE(is_library("{}"));
    for (const char* frame : {"library ", "library {}", R"(library {"gemm": {}, "path": "x"})",
                              R"(library {"path": "x", "attention": 7})"}) {
      CAPTURE(std::string(frame));
      const auto job = decode_library(frame);
      REQUIRE_FALSE(job.has_value());
      CHECK(job.error().code == ErrorCode::kInternal);
      CHECK(job.error().message == "a malformed library frame");
    }
  }

  TEST_CASE("facts, a refusal and anything else are told apart") {
    const LibraryFacts facts{"cuBLASLt", "13.1.0", "algorithm 7"};
    CHECK(decode_facts(encode_facts(facts)).value() == facts);
    const auto refused =
        decode_facts(encode_loaded(fail(ErrorCode::kUnsupported, "no", "choose another")));
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) == "unsupported: no; choose another");
    const auto kernel = decode_facts(encode_loaded({}));
    REQUIRE_FALSE(kernel.has_value());
    CHECK(kernel.error().message == "a GPU worker that calls no library");
    const auto other = decode_facts("[]");
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().message == "a malformed answer of a GPU worker that calls a library");
  }
}

}  // namespace ws::cuda
