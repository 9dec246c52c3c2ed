#include "runtime/device/cuda/measure/output_digests.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/base/keyed_stream.h"
#include "runtime/device/cuda/measure/digest_kernel.h"

namespace ws::cuda {
namespace {

constexpr unsigned kThreads = 256;
/// The blocks that do one part; with the parts, enough for every multiprocessor.
constexpr unsigned kBlocksPerPart = 32;

}  // namespace

Result<CuFunction> OutputDigests::kernel_for(DType type) {
  const auto loaded = std::find_if(modules_.begin(), modules_.end(),
                                   [&](const auto& module) { return module.first == type; });
  Driver& driver = context_->driver();
  if (loaded != modules_.end()) {
    return find_function(driver, loaded->second, digest_entry(type).c_str());
  }
  WS_TRY(const std::string code, context_->compiled(digest_entry(type), digest_ptx(type)));
  WS_TRY(Module module, load_module(driver, code.c_str()));
  modules_.emplace_back(type, std::move(module));
  return find_function(driver, modules_.back().second, digest_entry(type).c_str());
}

std::uint64_t digest_key(std::uint64_t inputs, std::uint64_t buffer) {
  return derive_seed(inputs, "digest", buffer);
}

Result<OutputDigests> OutputDigests::create(Context& context, PlanRunner& runner) {
  OutputDigests digests(context);
  if (!context.driver().dialect().ptx) {
    return digests;
  }
  const std::vector<RunRange>& buffers = runner.plan().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const RunRange& buffer = buffers[i];
    if (!buffer.digested) {
      continue;
    }
    WS_TRY(CuFunction kernel, digests.kernel_for(buffer.type));
    digests.outputs_.push_back({.buffer = i,
                                .values = runner.mirror() + buffer.low,
                                .elements = (buffer.high - buffer.low) / size_of(buffer.type),
                                .kernel = kernel});
  }
  WS_TRY(digests.parts_, allocate_pages(context.driver(), digests.outputs_.size() * sizeof(Parts)));
  return digests;
}

Status OutputDigests::start(std::size_t launches) {
  launches_.clear();
  const std::size_t bytes = launches * parts_.bytes;
  if (pages_.bytes().size() < bytes) {
    WS_TRY(pages_, HostPages::create(context_->driver(), bytes));
  }
  return {};
}

Status OutputDigests::take(std::uint64_t launch, std::uint64_t inputs) {
  if (outputs_.empty()) {
    return {};
  }
  Driver& driver = context_->driver();
  const CuStream stream = context_->stream();
  WS_CHECK(WS_CU_CALL(driver, cuMemsetD32Async, parts_.get(), 0,
                      parts_.bytes / sizeof(std::uint32_t), stream));
  CuDevicePtr parts = parts_.get();
  for (Output& output : outputs_) {
    std::uint64_t key = digest_key(inputs, output.buffer);
    std::array<void*, 4> arguments = {&output.values, &output.elements, &key, &parts};
    WS_CHECK(WS_CU_CALL(driver, cuLaunchKernel, output.kernel, kBlocksPerPart, kDigestParts, 1,
                        kThreads, 1, 1, 0, stream, arguments.data(), nullptr));
    parts += sizeof(Parts);
  }
  const std::span<std::byte> place =
      pages_.bytes().subspan(launches_.size() * parts_.bytes, parts_.bytes);
  launches_.push_back(launch);
  return WS_CU_CALL(driver, cuMemcpyDtoHAsync, place.data(), parts_.get(), place.size(), stream);
}

Status OutputDigests::scrub(std::uint32_t word) {
  return overwrite(context_->driver(), context_->stream(), parts_, 0, word);
}

std::vector<OutputDigest> OutputDigests::taken() const {
  std::vector<OutputDigest> digests;
  const std::byte* at = pages_.bytes().data();
  for (const std::uint64_t launch : launches_) {
    for (const Output& output : outputs_) {
      OutputDigest& digest =
          digests.emplace_back(OutputDigest{.launch = launch, .buffer = output.buffer});
      std::memcpy(digest.parts.data(), at, sizeof(Parts));
      at += sizeof(Parts);
    }
  }
  return digests;
}

}  // namespace ws::cuda
