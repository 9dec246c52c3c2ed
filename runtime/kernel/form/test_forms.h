// The forms that tests of this folder start from: the matrix product of the contract.
#pragma once

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"

namespace ws {

/// The whole error text, or "no error".
template <typename T>
std::string error_text(const Result<T>& result) {
  return result ? "no error" : to_text(result.error());
}

inline nlohmann::json matmul_problem() {
  return nlohmann::json::parse(R"json({
    "name": "matmul_f32", "op": "matmul",
    "dims": {"m": [1024, 2048], "n": [1024, 2048],
             "k": {"values": [1024, 2048], "min": 1, "max": 8192, "multiple_of": 1}},
    "valid": ["m == n", "n == k"],
    "args": [
      {"name": "A", "type": "f32", "shape": ["m", "k"], "role": "in", "fill": "normal"},
      {"name": "B", "type": "f32", "shape": ["k", "n"], "role": "in",
       "fill": {"kind": "normal", "mean": 0.5, "std": 1}},
      {"name": "C", "type": "f32", "shape": ["m", "n"], "role": "out"},
      {"name": "alpha", "type": "f32", "role": "scalar", "values": [1.0, 0.5]}],
    "reference": {"kind": "kernel", "language": "cuda", "source": "acc_t x;",
                  "entry": "reference", "launches": []},
    "tolerance": {"rtol": 1e-4, "atol": 1e-5},
    "flops": "2*m*n*k", "bytes": "4*(m*k + k*n + m*n)",
    "difficulty": 3})json");
}

inline nlohmann::json matmul_kernel() {
  return nlohmann::json::parse(R"json({
    "name": "tiled", "language": "cuda",
    "source": "template<int BM> __global__ void sgemm(const float* A) {}\n",
    "macros": "#define TILE_K @TILE_K@\n",
    "launches": [
      {"entry": "sgemm<@BM@>", "grid": ["cdiv(n, BN)", "cdiv(m, BM)"], "block": ["BN", "BM"],
       "shared_bytes": "0", "cluster": ["1"], "cooperative": true, "pdl": true,
       "args": ["A", "B", "C", "alpha", {"value": "cdiv(k, TILE_K)", "type": "i32"},
                {"buffer": "partial", "offset": "m*n"}]}],
    "scratch": [{"name": "partial", "type": "f32", "shape": ["K_SPLITS", "m", "n"]}],
    "symbols": [{"name": "c_filter", "of": "A"}],
    "tensor_maps": [{"name": "tmB", "of": "B", "type": "f32", "shape": ["n", "k"],
                     "strides": ["4*n"], "box": ["TILE_K", "BM"], "element_strides": [1, 1],
                     "interleave": "none", "swizzle": "64B", "l2": "128B", "oob": "nan"}],
    "params": {"BM": [16, 32], "BN": [16, 32], "TILE_K": [8, 16, 32], "K_SPLITS": [1, 2]},
    "defaults": {"BM": 32, "BN": 32, "TILE_K": 16, "K_SPLITS": 2},
    "constraints": ["BM*BN <= 1024", "k % TILE_K == 0"],
    "options": ["--use_fast_math"],
    "headers": {"util.h": "..."},
    "specialize": ["k"]})json");
}

inline Problem read_problem(const nlohmann::json& form) {
  Result<Problem> problem = problem_from_json(form);
  REQUIRE_MESSAGE(problem.has_value(), error_text(problem));
  return *std::move(problem);
}

inline Kernel read_kernel(const nlohmann::json& form, const Problem& problem) {
  Result<Kernel> kernel = kernel_from_json(form, problem);
  REQUIRE_MESSAGE(kernel.has_value(), error_text(kernel));
  return *std::move(kernel);
}

/// A kernel of one launch. @param more  Fields of its form, as JSON.
inline Kernel one_launch_kernel(const Problem& problem, const char* more = "{}") {
  auto form = nlohmann::json::parse(
      R"({"source": "x", "launches": [{"entry": "f", "grid": [1], "block": [1]}]})");
  form.update(nlohmann::json::parse(more));
  return read_kernel(form, problem);
}

/// A form with one place changed: patched(form, "/args/0/type", "f12").
inline nlohmann::json patched(nlohmann::json form, const std::string& pointer,
                              nlohmann::json value) {
  form[nlohmann::json::json_pointer(pointer)] = std::move(value);
  return form;
}

inline nlohmann::json without(nlohmann::json form, const std::string& field) {
  form.erase(field);
  return form;
}

}  // namespace ws
