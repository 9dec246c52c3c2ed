// The messages between the server and a worker with PyTorch. Each message is one frame of JSON;
// the other end is runtime/worker/python_torch.py.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "runtime/device/backend.h"
#include "runtime/device/module_run.h"

namespace ws::cuda {

/// The first message: for the program that becomes the interpreter (torch_worker.cpp).
struct TorchStart {
  std::string interpreter;  ///< By its whole path.
  std::string scratch;      ///< A folder of its own, empty and existing.
  int device = 0;           ///< As the driver counts: of those that are visible.
  std::string visible;      ///< CUDA_VISIBLE_DEVICES; "" = all.
  bool compiles = false;    ///< It may start compilers.
  std::string digests;      ///< PTX: all_digests_ptx().
};

std::string encode(const TorchStart& start);
/// @errors kInternal: not what encode() makes.
Result<TorchStart> decode_torch_start(std::string_view frame);

/// The answer to TorchStart and to a module; its error is empty where all went well.
struct TorchReady {
  std::string error;
  bool no_library = false;  ///< This interpreter has no PyTorch with CUDA: another may.
};

/// @errors kDeviceLost: not such an answer.
Result<TorchReady> decode_torch_ready(std::string_view frame);

/// A module and where its arguments lie; the arena's descriptor goes along.
std::string encode_module(const ModuleRun& module, const ResolvedPlan& plan, const Arena& arena);

/// The launches of one doorbell, with the same inputs for each as a kernel's worker gives.
struct TorchLaunches {
  std::string message;
  std::uint32_t kept = 0;  ///< The launch whose outputs will be in the arena.
};

/// @param draws  As schedule_launches() takes them.
TorchLaunches encode_launches(const TimingRequest& request, const ResolvedPlan& plan,
                              const Arena& arena, std::mt19937_64& draws);

/// The samples and digests of an answer. @errors kUnsupported: the module failed; kDeviceLost: not
/// such an answer.
Result<TimingOutcome> decode_torch_times(std::string_view frame, const ResolvedPlan& plan);

}  // namespace ws::cuda
