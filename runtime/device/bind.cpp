#include "runtime/device/bind.h"

#include <algorithm>
#include <cstring>

#include "runtime/device/live_blocks.h"
#include "runtime/device/tensor_map_size.h"

namespace ws {
namespace {

std::string launch_name(std::size_t index) {
  return "launches[" + std::to_string(index) + "]";
}

/// As declared; a binary keeps the type only.
std::string declared(const EntryParam& param) {
  return param.name.empty() ? param.type : param.type + " " + param.name;
}

std::string parameter_list(const CompiledEntry& entry) {
  std::string text;
  for (const EntryParam& param : entry.params) {
    text += (text.empty() ? "" : ", ") + declared(param);
  }
  return "(" + text + ")";
}

Status check_tensor_map(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  if (!param.pointer && !param.integer && param.size == kTensorMapBytes) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              where + ": argument `" + arg.text + "` is a tensor map, but parameter `" +
                  declared(param) + "` is not",
              "declare it as `const __grid_constant__ CUtensorMap`");
}

/// The members as a struct of C has them: each aligned to its size, the whole to the largest.
std::vector<std::uint8_t> struct_bytes(const LaunchArg& arg) {
  std::vector<std::uint8_t> bytes;
  std::size_t alignment = 1;
  const auto align = [&bytes](std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); };
  for (const LaunchArg& member : arg.members) {
    const std::size_t size = size_of(member.type);
    std::uint64_t value = static_cast<std::uint64_t>(member.int_value);
    if (is_float(member.type)) {
      value = 0;
      store_element(member.type, &value, 0, member.float_value);
    }
    align(size);
    alignment = std::max(alignment, size);
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, &value, size);  // Little-endian: low bytes first.
  }
  align(alignment);
  return bytes;
}

Status check_struct(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  const std::string what = where + ": argument `" + arg.text + "` ";
  if (param.pointer) {
    return fail(ErrorCode::kInvalidArgument,
                what + "is a struct, but parameter `" + declared(param) + "` is a pointer",
                "match the launch's args with the entry's parameters");
  }
  if (const std::size_t bytes = struct_bytes(arg).size(); bytes != param.size) {
    return fail(ErrorCode::kInvalidArgument,
                what + "has " + std::to_string(bytes) + " bytes, but parameter `" +
                    declared(param) + "` has " + std::to_string(param.size),
                "list every member in order; those of a dim or parameter by name are i32");
  }
  return {};
}

Status check_argument(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  if (param.folded) {
    return {};
  }
  if (arg.kind == LaunchArg::Kind::kTensorMap) {
    return check_tensor_map(arg, param, where);
  }
  if (arg.kind == LaunchArg::Kind::kStruct) {
    return check_struct(arg, param, where);
  }
  const bool wants_pointer = arg.kind != LaunchArg::Kind::kScalar;
  const std::string what = "argument `" + arg.text + "`";
  const std::string takes = "parameter `" + declared(param) + "`";
  if (wants_pointer != param.pointer) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " is " + (wants_pointer ? "a buffer" : "a scalar") +
                    ", but " + takes + (param.pointer ? " is a pointer" : " is not a pointer"),
                "match the launch's args with the entry's parameters");
  }
  if (wants_pointer) {
    return {};
  }
  if (is_float(arg.type) == param.integer) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " is of type " + std::string(name_of(arg.type)) + ", but " +
                    takes + (param.integer ? " is an integer" : " is not an integer"),
                R"(say {"value": "...", "type": "..."})");
  }
  const bool any_size = arg.any_int && (param.size == 4 || param.size == 8);
  if (!any_size && param.size != size_of(arg.type)) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " has " + std::to_string(size_of(arg.type)) + " bytes (" +
                    std::string(name_of(arg.type)) + "), but " + takes + " has " +
                    std::to_string(param.size),
                R"(say {"value": "...", "type": "..."})");
  }
  return {};
}

RunArg bind_argument(const LaunchArg& arg, const EntryParam& param, const Arena& arena) {
  RunArg bound;
  bound.pointer = param.pointer;
  bound.null = arg.kind == LaunchArg::Kind::kNull;
  bound.tensor_map = arg.tensor_map;
  if (arg.kind == LaunchArg::Kind::kStruct) {
    bound.bytes = struct_bytes(arg);
  }
  if (arg.kind == LaunchArg::Kind::kBuffer) {
    const auto buffer = static_cast<std::size_t>(arg.buffer);
    bound.low = arena.offset(buffer);
    bound.high = bound.low + arena.buffer(buffer).size();
    bound.value = bound.low + static_cast<std::uint64_t>(arg.byte_offset);
  } else if (arg.kind == LaunchArg::Kind::kScalar && is_float(arg.type)) {
    store_element(arg.type, &bound.value, 0, arg.float_value);
  } else if (arg.kind == LaunchArg::Kind::kScalar) {
    bound.value = static_cast<std::uint64_t>(arg.int_value);  // Little-endian: low bytes first.
  }
  return bound;
}

RunStep bind_step(const LaunchStep& step, const CompiledEntry& entry, const Arena& arena) {
  RunStep run;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    run.grid.at(axis) = static_cast<std::uint32_t>(step.grid.at(axis));
    run.block.at(axis) = static_cast<std::uint32_t>(step.block.at(axis));
    run.cluster.at(axis) = static_cast<std::uint32_t>(step.cluster.at(axis));
  }
  run.dynamic_shared_bytes = static_cast<std::uint32_t>(step.shared_bytes + entry.dynamic_bytes);
  if (entry.threads > 0) {
    run.block = {static_cast<std::uint32_t>(entry.threads), 1, 1};
  }
  run.cooperative = step.cooperative;
  run.pdl = step.pdl;
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    if (!entry.params[k].folded) {
      run.args.push_back(bind_argument(step.args[k], entry.params[k], arena));
    }
  }
  RunArg null;
  null.pointer = true;
  null.null = true;
  run.args.insert(run.args.end(), static_cast<std::size_t>(entry.null_params), null);
  return run;
}

const ImageSymbol* find_symbol(const Image& image, const std::string& name) {
  const auto at = std::find_if(image.symbols.begin(), image.symbols.end(),
                               [&](const ImageSymbol& symbol) { return symbol.name == name; });
  return at == image.symbols.end() ? nullptr : &*at;
}

Status check_symbol(const SymbolFill& fill, const ResolvedPlan& plan, const Image& image) {
  const ImageSymbol* symbol = find_symbol(image, fill.name);
  if (symbol == nullptr) {
    return fail(
        ErrorCode::kInvalidArgument,
        "symbols: the source uses no __constant__ or __device__ variable `" + fill.name + "`",
        "declare it at file scope and read it in the kernel");
  }
  const BufferSpec& buffer = plan.buffers.at(static_cast<std::size_t>(fill.buffer));
  if (buffer.bytes() > symbol->bytes) {
    return fail(ErrorCode::kInvalidArgument, "symbols: `" + fill.name + "` has " +
                                                 std::to_string(symbol->bytes) +
                                                 " bytes, its argument `" + buffer.name + "` has " +
                                                 std::to_string(buffer.bytes()));
  }
  return {};
}

std::string extent_over_limit(const LaunchStep& step, const DeviceLimits& limits) {
  const auto [bx, by, bz] = step.block;
  if (bx > limits.max_threads_per_block || by > limits.max_threads_per_block ||
      bz > limits.max_block_z || bx * by * bz > limits.max_threads_per_block) {
    return "a block of " + std::to_string(bx) + "x" + std::to_string(by) + "x" +
           std::to_string(bz) + " threads; the device allows " +
           std::to_string(limits.max_threads_per_block) + " (at most " +
           std::to_string(limits.max_block_z) + " in z)";
  }
  const auto [gx, gy, gz] = step.grid;
  if (gx > limits.max_grid_x || gy > limits.max_grid_yz || gz > limits.max_grid_yz) {
    return "a grid of " + std::to_string(gx) + "x" + std::to_string(gy) + "x" + std::to_string(gz) +
           " blocks; the device allows " + std::to_string(limits.max_grid_x) + "x" +
           std::to_string(limits.max_grid_yz) + "x" + std::to_string(limits.max_grid_yz);
  }
  if (step.cluster_blocks() > limits.max_cluster_blocks) {
    return "a cluster of " + std::to_string(step.cluster_blocks()) + " blocks; the device allows " +
           std::to_string(limits.max_cluster_blocks);
  }
  return {};
}

/// Compares a cooperative launch with the memory for its blocks, which live at the same time.
std::string live_over_limit(const LaunchStep& step, const CompiledEntry& entry,
                            const DeviceLimits& limits) {
  if (!step.cooperative || limits.max_live_bytes == 0) {
    return {};
  }
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
  const auto blocks = static_cast<std::uint64_t>(step.grid[0] * step.grid[1] * step.grid[2]);
  const auto threads = static_cast<std::uint64_t>(step.block[0] * step.block[1] * step.block[2]);
  const std::uint64_t one =
      live_block_bytes(entry, threads, static_cast<std::uint64_t>(step.shared_bytes));
  if (blocks <= limits.max_live_bytes / one) {
    return {};
  }
  return "all " + std::to_string(blocks) + " blocks of a cooperative launch of `" + step.entry +
         "` run at the same time, and the device has memory for " +
         std::to_string(limits.max_live_bytes / one) + " of them (" +
         std::to_string(limits.max_live_bytes / kMebibyte) + " MiB; each of its " +
         std::to_string(threads) + " threads needs a stack)";
}

/// Compares a launch with the limits of the compiled entry: registers, and its __launch_bounds__.
std::string entry_over_limit(const LaunchStep& step, const CompiledEntry& entry,
                             const DeviceLimits& limits) {
  const std::int64_t threads = block_threads(step, entry);
  if (entry.max_threads >= 0 && threads > entry.max_threads) {
    return "`" + step.entry + "` allows blocks of " + std::to_string(entry.max_threads) +
           " threads by its __launch_bounds__ or registers; the launch has " +
           std::to_string(threads);
  }
  const std::int64_t warps = (threads + limits.warp_size - 1) / limits.warp_size;
  const std::int64_t registers = entry.registers * warps * limits.warp_size;
  if (entry.registers > 0 && registers > limits.registers_per_block) {
    return "`" + step.entry + "` needs " + std::to_string(registers) + " registers (" +
           std::to_string(entry.registers) + " for each of " +
           std::to_string(warps * limits.warp_size) + " threads); the device has " +
           std::to_string(limits.registers_per_block) + " for a block";
  }
  if (step.shared_bytes > limits.max_shared_bytes - entry.shared_bytes) {
    return "`" + step.entry + "` needs " + std::to_string(entry.shared_bytes + step.shared_bytes) +
           " bytes of shared memory (" + std::to_string(entry.shared_bytes - entry.dynamic_bytes) +
           " static, " + std::to_string(step.shared_bytes + entry.dynamic_bytes) +
           " dynamic); the device has " + std::to_string(limits.max_shared_bytes);
  }
  return live_over_limit(step, entry, limits);
}

RunTensorMap bind_tensor_map(const TensorMap& map, const Arena& arena) {
  RunTensorMap bound;
  bound.offset = arena.offset(static_cast<std::size_t>(map.buffer));
  bound.type = map.type;
  bound.shape = map.shape;
  bound.strides = map.strides;
  bound.box = map.box;
  bound.element_strides = map.element_strides;
  bound.modes = map.modes;
  return bound;
}

}  // namespace

std::int64_t block_threads(const LaunchStep& step, const CompiledEntry& entry) {
  return entry.threads > 0 ? entry.threads : step.block[0] * step.block[1] * step.block[2];
}

const CompiledEntry* find_entry(const Image& image, const ResolvedPlan& plan, std::size_t step) {
  if (!image.steps.empty()) {
    return &image.entries.at(image.steps.at(step));
  }
  const auto at = std::ranges::find(image.entries, plan.steps[step].entry, &CompiledEntry::name);
  return at == image.entries.end() ? nullptr : &*at;
}

std::string unsupported_feature(const ResolvedPlan& plan, const DeviceInfo& device) {
  for (const std::string& feature : features_of(plan)) {
    if (std::find(device.features.begin(), device.features.end(), feature) ==
        device.features.end()) {
      return "the plan has `" + feature + "`, which " + device.name + " (" + device.arch +
             ") cannot run";
    }
  }
  return {};
}

std::string over_limit(const ResolvedPlan& plan, const Image& image, const DeviceLimits& limits) {
  if (std::string reason = Arena::over_limit(plan.buffers, limits.max_buffer_bytes);
      !reason.empty()) {
    return reason;
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const LaunchStep& step = plan.steps[i];
    if (const std::string reason = extent_over_limit(step, limits); !reason.empty()) {
      return launch_name(i) + ": " + reason;
    }
    const CompiledEntry* entry = find_entry(image, plan, i);
    const std::string reason =
        entry == nullptr ? std::string() : entry_over_limit(step, *entry, limits);
    if (!reason.empty()) {
      return launch_name(i) + ": " + reason;
    }
  }
  return {};
}

Status check_arguments(const ResolvedPlan& plan, const Image& image) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const LaunchStep& step = plan.steps[i];
    const CompiledEntry* entry = find_entry(image, plan, i);
    if (entry == nullptr) {
      return fail(ErrorCode::kInternal, "entry `" + step.entry + "` was not compiled");
    }
    if (entry->params.size() != step.args.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  launch_name(i) + " passes " + std::to_string(step.args.size()) + " arguments, `" +
                      step.entry + "` takes " + std::to_string(entry->params.size()) + ": " +
                      parameter_list(*entry),
                  "match the launch's args with the entry's parameters");
    }
    for (std::size_t k = 0; k < step.args.size(); ++k) {
      WS_CHECK(check_argument(step.args[k], entry->params[k],
                              launch_name(i) + ".args[" + std::to_string(k) + "]"));
    }
  }
  for (const SymbolFill& fill : plan.symbols) {
    WS_CHECK(check_symbol(fill, plan, image));
  }
  return {};
}

std::vector<RunRange> bind_buffers(const ResolvedPlan& plan, const Arena& arena) {
  std::vector<RunRange> ranges;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    const bool inout = spec.role == BufferRole::kInout;
    ranges.push_back(
        {.low = arena.offset(i),
         .high = arena.offset(i) + arena.buffer(i).size(),
         .given = spec.role == BufferRole::kIn || inout,
         .zero = spec.zero,
         .rotation_step = static_cast<std::uint64_t>(spec.rotation_step) * size_of(spec.type),
         .digested =
             (spec.role == BufferRole::kOut || inout) && spec.contiguous() && has_digest(spec.type),
         .type = spec.type});
  }
  return ranges;
}

Result<RunPlan> bind_plan(const ResolvedPlan& plan, const Image& image, const Arena& arena) {
  WS_CHECK(check_arguments(plan, image));
  RunPlan bound;
  bound.arena_bytes = arena.bytes();
  bound.buffers = bind_buffers(plan, arena);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const CompiledEntry* entry = find_entry(image, plan, i);
    bound.steps.push_back(bind_step(plan.steps[i], *entry, arena));
    bound.steps.back().entry = static_cast<std::uint32_t>(entry - image.entries.data());
  }
  for (const SymbolFill& fill : plan.symbols) {
    const auto buffer = static_cast<std::size_t>(fill.buffer);
    const ImageSymbol* symbol = find_symbol(image, fill.name);
    bound.symbols.push_back({static_cast<std::uint32_t>(symbol - image.symbols.data()),
                             symbol->offset, arena.offset(buffer), arena.buffer(buffer).size()});
  }
  for (const TensorMap& map : plan.tensor_maps) {
    bound.tensor_maps.push_back(bind_tensor_map(map, arena));
  }
  return bound;
}

}  // namespace ws
