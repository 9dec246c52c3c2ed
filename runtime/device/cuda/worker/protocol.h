// The frames between the CUDA backend and its workers.
//
//   1. attach: AttachRequest -> the devices, or an error. After a describe the worker ends.
//   2. load: encode_load(), with the arena's descriptor -> empty, or an error. After an
//      encode_library() the plan has no launches -> encode_facts(), or an error.
//   3. any number of doorbells: 8 bytes (the poison) run the plan once, a TimingRequest times it.
//      The worker makes ready what it can without running anything on the device; kGo gives it the
//      device -> a reply, and before it kFree when the device is done with already. After one that
//      is not well the worker ends.
//      In a worker that counts, kAskCounters runs it once for each pass -> counters, or an error.
//   4. kRest -> nothing; all of the kernel is given back, and the next frame is another load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/worker/describe.h"
#include "runtime/device/hardware_counters.h"

namespace ws::cuda {

struct AttachRequest {
  int device = -1;      ///< -1: only describe all devices; nothing is started.
  std::string visible;  ///< CUDA_VISIBLE_DEVICES; "" = not set.
  std::string library;  ///< As Driver::open.
  std::string nvml;     ///< As Nvml::open.
  std::string helpers;  ///< As Context::attach; any bytes.
  std::string cupti;    ///< As Cupti::open; "" = a worker that does not count.
  bool apart = false;   ///< As PlanRunner::Placement::kApart.
  bool lazy = false;    ///< Kernels are loaded when they are needed: a library has thousands.
};

std::string encode_attach(const AttachRequest& request);
/// @errors kInternal: not what encode_attach() writes.
Result<AttachRequest> decode_attach(std::string_view frame);

/// In a worker that keeps buffers apart: asks for their addresses -> encode_addresses().
inline constexpr char kAskAddresses = 'a';

/// Ends a kernel, not its worker.
inline constexpr char kRest = 'r';

/// The device is yours.
inline constexpr char kGo = 'g';

/// Instead of kGo: the doorbell is taken back, and no reply is waited for.
inline constexpr char kNotNow = 'n';

/// The device may be another worker's; the reply follows.
inline constexpr char kFree = 'f';

/// The answer to an attach.
std::string encode_attached(const Result<std::vector<CudaDevice>>& devices);
/// @errors what the worker sent; kInternal: neither devices nor an error.
Result<std::vector<CudaDevice>> decode_attached(std::string_view frame);

/// Ok, unless the frame is the error that a worker answers with in the place of anything else.
/// @errors That one.
Status refusal_in(std::string_view frame);

/// The answer to a load.
std::string encode_loaded(const Status& status);
/// @errors as decode_attached.
Status decode_loaded(std::string_view frame);

/// The answer to kAskAddresses.
std::string encode_addresses(const std::vector<std::uint64_t>& addresses);
/// @errors kInternal: not what encode_addresses() writes.
Result<std::vector<std::uint64_t>> decode_addresses(std::string_view frame);

inline constexpr std::size_t kMaxReplyFrame = std::size_t{1} << 20U;

/// The answer to kAskCounters.
std::string encode_counters(const Result<HardwareCounters>& counters);
/// @errors what the worker sent; kInternal: not what encode_counters() writes.
Result<HardwareCounters> decode_counters(std::string_view frame);

/// The answer to a doorbell: an error, which is never the kernel's doing; or the bytes of the
/// RunReply, of the samples and of the digests, then JSON of run.text and the rest of the timing
/// (the other fields of `run` are the server's own).
std::string encode_reply(const Result<TimingOutcome>& outcome);
/// @errors what the worker sent; kInternal: not what encode_reply() writes.
Result<TimingOutcome> decode_reply(std::string_view frame);

}  // namespace ws::cuda
