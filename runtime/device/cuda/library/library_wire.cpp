#include "runtime/device/cuda/library/library_wire.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/device/cuda/worker/protocol.h"

namespace ws {

using Json = nlohmann::json;

// nlohmann finds these by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmMatrix, buffer, batch_stride, row_stride, column_stride)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmCall, type, result, batch, m, n, k, alpha, a, b, c)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttentionTensor, buffer, strides)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttentionCall, type, batch, heads, kv_heads, queries, keys,
                                   width, value_width, scale, causal, q, k, v, o)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LibraryFacts, name, version, algorithm)

namespace cuda {
namespace {

/// No load begins like that.
constexpr std::string_view kLibraryFrame = "library ";

}  // namespace

std::string encode_library(const LibraryJob& job) {
  Json form = {{"path", job.path}};
  if (const auto* const gemm = std::get_if<GemmCall>(&job.call)) {
    form["gemm"] = *gemm;
  } else {
    form["attention"] = std::get<AttentionCall>(job.call);
  }
  return std::string(kLibraryFrame) + json_line(form);
}

bool is_library(std::string_view frame) {
  return frame.starts_with(kLibraryFrame);
}

Result<LibraryJob> decode_library(std::string_view frame) {
  constexpr std::string_view kWhat = "library frame";
  WS_TRY(const Json form,
         parse_value<Json>(frame.substr(std::min(frame.size(), kLibraryFrame.size())), kWhat));
  LibraryJob job;
  if (form.is_object() && form.contains("gemm")) {
    WS_TRY(job.call, value_of<GemmCall>(form["gemm"], kWhat));
  } else if (form.is_object() && form.contains("attention")) {
    WS_TRY(job.call, value_of<AttentionCall>(form["attention"], kWhat));
  } else {
    return fail(ErrorCode::kInternal, "a malformed library frame");
  }
  WS_TRY(job.path, value_of<std::string>(form.value("path", Json()), kWhat));
  return job;
}

std::string encode_facts(const LibraryFacts& facts) {
  return json_line(Json(facts));
}

Result<LibraryFacts> decode_facts(std::string_view frame) {
  if (frame.empty()) {  // A load without a call is answered so.
    return fail(ErrorCode::kInternal, "a GPU worker that calls no library");
  }
  WS_CHECK(refusal_in(frame));
  return parse_value<LibraryFacts>(frame, "answer of a GPU worker that calls a library");
}

}  // namespace cuda
}  // namespace ws
