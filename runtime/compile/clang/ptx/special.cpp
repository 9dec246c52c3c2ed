#include "runtime/compile/clang/ptx/special.h"

#include <string>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/ptx/machine.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kWordBits = 32;
/// Reads of the clock that change no number of a grid, as a power of two.
constexpr unsigned kGridShift = 24;

struct IdRow {
  const char* name;
  const char* function;
};

constexpr IdRow kIdRows[] = {
    {"%tid.", "ws_rt_tid_"},         {"%ntid.", "ws_rt_bdim_"},     {"%ctaid.", "ws_rt_bid_"},
    {"%nctaid.", "ws_rt_gdim_"},     {"%clusterid.", "ws_rt_bid_"},  // Clusters have one block.
    {"%nclusterid.", "ws_rt_gdim_"},
};

struct ConstantRow {
  const char* name;
  std::uint32_t value;
};

/// One processor, and clusters of one block.
constexpr ConstantRow kConstantRows[] = {
    {"%smid", 0},
    {"%nsmid", 1},
    {"%cluster_ctarank", 0},
    {"%cluster_nctarank", 1},
    {"%cluster_ctaid.x", 0},
    {"%cluster_ctaid.y", 0},
    {"%cluster_ctaid.z", 0},
    {"%cluster_nctaid.x", 1},
    {"%cluster_nctaid.y", 1},
    {"%cluster_nctaid.z", 1},
};

enum class LaneMask : std::uint8_t { kEq, kLt, kLe, kGt, kGe };

struct MaskRow {
  const char* name;
  LaneMask mask;
};

constexpr MaskRow kMaskRows[] = {
    {"%lanemask_eq", LaneMask::kEq}, {"%lanemask_lt", LaneMask::kLt},
    {"%lanemask_le", LaneMask::kLe}, {"%lanemask_gt", LaneMask::kGt},
    {"%lanemask_ge", LaneMask::kGe},
};

llvm::Value* read_id(Machine& machine, const std::string& function) {
  return machine.call(function.c_str(), machine.builder().getInt32Ty(), {});
}

llvm::Value* number_in_block(Machine& machine) {
  llvm::IRBuilder<>& b = machine.builder();
  llvm::Value* rows =
      b.CreateAdd(read_id(machine, "ws_rt_tid_y"),
                  b.CreateMul(read_id(machine, "ws_rt_bdim_y"), read_id(machine, "ws_rt_tid_z")));
  return b.CreateAdd(read_id(machine, "ws_rt_tid_x"),
                     b.CreateMul(read_id(machine, "ws_rt_bdim_x"), rows));
}

llvm::Value* warps_of_block(Machine& machine) {
  llvm::IRBuilder<>& b = machine.builder();
  llvm::Value* threads =
      b.CreateMul(read_id(machine, "ws_rt_bdim_x"),
                  b.CreateMul(read_id(machine, "ws_rt_bdim_y"), read_id(machine, "ws_rt_bdim_z")));
  return b.CreateUDiv(b.CreateAdd(threads, b.getInt32(kLanes - 1)), b.getInt32(kLanes));
}

llvm::Value* lane_mask(Machine& machine, LaneMask mask) {
  llvm::IRBuilder<>& b = machine.builder();
  llvm::Value* own = b.CreateShl(b.getInt32(1), lane_of_thread(machine));
  llvm::Value* below = b.CreateSub(own, b.getInt32(1));
  switch (mask) {
    case LaneMask::kEq:
      return own;
    case LaneMask::kLt:
      return below;
    case LaneMask::kLe:
      return b.CreateOr(own, below);
    case LaneMask::kGt:
      return b.CreateNot(b.CreateOr(own, below));
    case LaneMask::kGe:
      break;
  }
  return b.CreateNot(below);
}

}  // namespace

llvm::Value* lane_of_thread(Machine& machine) {
  return machine.builder().CreateAnd(number_in_block(machine), kLanes - 1);
}

llvm::Value* special_register(Machine& machine, llvm::StringRef name) {
  llvm::IRBuilder<>& b = machine.builder();
  for (const IdRow& row : kIdRows) {
    llvm::StringRef axis = name;
    if (axis.consume_front(row.name) && (axis == "x" || axis == "y" || axis == "z")) {
      return read_id(machine, row.function + axis.str());
    }
  }
  for (const MaskRow& row : kMaskRows) {
    if (name == row.name) {
      return lane_mask(machine, row.mask);
    }
  }
  if (name == "%laneid") {
    return lane_of_thread(machine);
  }
  if (name == "%warpid") {
    return b.CreateUDiv(number_in_block(machine), b.getInt32(kLanes));
  }
  if (name == "%nwarpid") {
    return warps_of_block(machine);
  }
  if (name == "%clock" || name == "%clock64" || name == "%globaltimer" ||
      name == "%globaltimer_lo") {
    return machine.call("ws_rt_clock", b.getInt64Ty(), {b.getInt32(0)});
  }
  if (name == "%clock_hi" || name == "%globaltimer_hi") {
    return b.CreateLShr(machine.call("ws_rt_clock", b.getInt64Ty(), {b.getInt32(0)}), kWordBits);
  }
  if (name == "%total_smem_size") {
    return read_launch_value(b, {LaunchValue::Of::kBlock, cpu_abi::kSharedBytesOffset},
                             b.getInt64Ty());
  }
  if (name == "%dynamic_smem_size") {
    return read_launch_value(b, {LaunchValue::Of::kBlock, cpu_abi::kDynamicSharedOffset},
                             b.getInt32Ty());
  }
  if (name == "%gridid") {
    // Another one in each launch, whose clock begins elsewhere.
    return b.CreateLShr(machine.call("ws_rt_clock", b.getInt64Ty(), {b.getInt32(0)}), kGridShift);
  }
  for (const ConstantRow& row : kConstantRows) {
    if (name == row.name) {
      return b.getInt32(row.value);
    }
  }
  return name == "WARP_SZ" ? b.getInt32(kLanes) : nullptr;
}

}  // namespace ws::clang_engine::ptx
