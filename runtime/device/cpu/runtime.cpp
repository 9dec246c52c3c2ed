#include "runtime/device/cpu/runtime.h"

#include <cmath>
#include <cstring>
#include <map>

#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {
namespace {

std::vector<KnownRange>& known_ranges() {
  static std::vector<KnownRange> ranges;
  return ranges;
}

RunReply fault_at(RunStatus status, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                  std::uint32_t site) {
  RunReply reply;
  reply.status = status;
  describe_running_thread(reply);
  reply.thread = {x, y, z};
  reply.has_thread = 1;
  reply.site = site;
  return reply;
}

/// Distance of an address from a range: 0 inside.
std::uint64_t distance(const KnownRange& range, std::uint64_t address) {
  return address < range.low    ? range.low - address
         : address < range.high ? 0
                                : address - range.high;
}

/// True when [address, address + bytes) is memory that the running thread may use.
bool is_known(std::uint64_t address, std::uint64_t bytes) {
  for (const KnownRange& range : known_ranges()) {
    if (address >= range.low && address <= range.high && range.high - address >= bytes) {
      return true;
    }
  }
  const BlockRunner& runner = *current_runner();
  const auto shared = reinterpret_cast<std::uint64_t>(runner.block()->shared);
  const std::uint64_t shared_end = shared + runner.block()->shared_bytes;
  return (address >= shared && address <= shared_end && shared_end - address >= bytes) ||
         runner.in_own_local(address, bytes);
}

/// Reports an access whose object is not known, against the nearest buffer.
[[noreturn]] void report_unknown(RunReply reply, std::uint64_t address) {
  const std::vector<KnownRange>& ranges = known_ranges();
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (distance(ranges[i], address) < distance(ranges[nearest], address)) {
      nearest = i;
    }
  }
  reply.object = static_cast<std::uint32_t>(cpu_abi::Object::kUnknown);
  reply.object_id = static_cast<std::uint32_t>(nearest);
  const bool in_buffer = !ranges.empty() && distance(ranges[nearest], address) == 0;
  if (reply.status == RunStatus::kMisaligned && !in_buffer) {
    // Shared or local memory, which has no name here.
    const auto shared = reinterpret_cast<std::uint64_t>(current_runner()->block()->shared);
    reply.object = static_cast<std::uint32_t>(cpu_abi::Object::kVariable);
    reply.object_id = kNoPlace;
    reply.offset = static_cast<std::int64_t>(address - shared);
  } else if (!ranges.empty()) {
    reply.offset = static_cast<std::int64_t>(address - ranges[nearest].low);
    reply.length = static_cast<std::int64_t>(ranges[nearest].high - ranges[nearest].low);
  }
  report_and_exit(reply);
}

/// The compiler runs every kernel that gets here on fibers.
const Fiber& running_fiber() {
  static const Fiber none;
  const Fiber* fiber = current_runner()->running();
  return fiber == nullptr ? none : *fiber;
}

}  // namespace

void set_known_ranges(std::vector<KnownRange> ranges) {
  known_ranges() = std::move(ranges);
}

}  // namespace ws::cpu

// Called from compiled kernels, by the names in imports.def.
extern "C" {

// rounded.cpp
float ws_rt_rounded_f32(std::uint32_t operation, std::uint32_t mode, float a, float b, float c);
double ws_rt_rounded_f64(std::uint32_t operation, std::uint32_t mode, double a, double b, double c);

// textures.cpp
std::uint64_t ws_rt_texture_word(std::uint32_t word, std::uint64_t object);
const char* ws_rt_texture_data(std::uint64_t object);

std::uint32_t ws_rt_barrier(std::uint32_t mode, std::uint32_t predicate, std::uint32_t site) {
  return ws::cpu::current_runner()->barrier(static_cast<ws::cpu_abi::BarrierMode>(mode),
                                            predicate != 0, site);
}

std::uint32_t ws_rt_barrier_arrive(std::uint32_t number, std::uint32_t wanted, std::uint32_t flags,
                                   std::uint32_t site) {
  return ws::cpu::current_runner()->arrive_at(number, wanted, flags, site);
}

std::uint32_t ws_rt_barrier_wait(std::uint32_t number, std::uint32_t phase, std::uint32_t site) {
  return ws::cpu::current_runner()->wait_at(number, phase, site);
}

void ws_rt_barrier_of_grid(std::uint32_t site) {
  ws::cpu::current_runner()->grid_barrier(site);
}

std::uint64_t ws_rt_warp(std::uint32_t mode, std::uint32_t mask, std::uint64_t value,
                         std::uint32_t lane, std::uint32_t width, std::uint32_t site) {
  return ws::cpu::current_runner()->warp_op(static_cast<ws::cpu_abi::WarpMode>(mode), mask, value,
                                            lane, width, site);
}

std::uint32_t ws_rt_active_mask(std::uint32_t site) {
  return ws::cpu::current_runner()->active_mask(site);
}

std::uint64_t ws_rt_clock(std::uint32_t /*site*/) {
  return ws::cpu::current_runner()->read_clock();
}

void ws_rt_yield() {
  ws::cpu::current_runner()->yield();
}

void ws_rt_look_again() {
  ws::cpu::current_runner()->look_again(__builtin_return_address(0));
}

void ws_rt_sleep(std::uint32_t nanoseconds, std::uint32_t /*site*/) {
  ws::cpu::current_runner()->sleep(nanoseconds);
}

void ws_rt_profile_stretch(std::uint32_t stretch) {
  ws::cpu::current_runner()->enter_stretch(stretch);
}

void ws_rt_profile_access(std::uint64_t address, std::uint32_t bytes) {
  ws::cpu::current_runner()->note_access(address, bytes);
}

void ws_rt_watch(std::uint64_t address, std::uint64_t base, std::uint64_t bytes,
                 std::uint32_t flags, std::uint32_t object, std::uint64_t value,
                 std::uint32_t site) {
  ws::cpu::current_runner()->watch({.address = address,
                                    .base = base,
                                    .bytes = bytes,
                                    .flags = flags,
                                    .object = object,
                                    .value = value,
                                    .site = site});
}

void ws_rt_watch_fence(std::uint32_t flags) {
  ws::cpu::current_runner()->watch_fence(flags);
}

[[noreturn]] void ws_rt_trap(std::uint32_t kind, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                             std::uint32_t site) {
  const bool division = kind == static_cast<std::uint32_t>(ws::cpu_abi::Trap::kDivideByZero);
  ws::RunReply reply = ws::cpu::fault_at(
      division ? ws::RunStatus::kDivideByZero : ws::RunStatus::kTrap, x, y, z, site);
  reply.detail = kind;
  ws::cpu::report_and_exit(reply);
}

[[noreturn]] void ws_rt_oob(std::uint32_t object, std::uint32_t id, std::int64_t offset,
                            std::int64_t length, std::uint64_t bytes, std::uint32_t write,
                            std::uint32_t alignment, std::uint32_t x, std::uint32_t y,
                            std::uint32_t z, std::uint32_t site) {
  const bool inside =
      offset >= 0 && offset <= length && bytes <= static_cast<std::uint64_t>(length - offset);
  const auto status = inside ? ws::RunStatus::kMisaligned : ws::RunStatus::kOutOfBounds;
  ws::RunReply reply = ws::cpu::fault_at(status, x, y, z, site);
  reply.object = object;
  reply.object_id = id;
  reply.offset = offset;
  reply.length = length;
  reply.access_bytes = inside ? alignment : static_cast<std::uint32_t>(bytes);
  reply.write = write;
  ws::cpu::report_and_exit(reply);
}

void ws_rt_check(std::uint64_t address, std::uint64_t bytes, std::uint32_t write,
                 std::uint32_t alignment, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                 std::uint32_t site) {
  const bool exists = ws::cpu::is_known(address, bytes);
  if (exists && (alignment == 0 || address % alignment == 0)) {
    return;
  }
  const auto status = exists ? ws::RunStatus::kMisaligned : ws::RunStatus::kOutOfBounds;
  ws::RunReply reply = ws::cpu::fault_at(status, x, y, z, site);
  reply.access_bytes = exists ? alignment : static_cast<std::uint32_t>(bytes);
  reply.write = write;
  ws::cpu::report_unknown(reply, address);
}

void* ws_rt_local_take(std::uint64_t bytes, std::uint32_t site) {
  ws::cpu::BlockRunner& runner = *ws::cpu::current_runner();
  if (void* memory = runner.take_local(bytes); memory != nullptr) {
    return memory;
  }
  ws::RunReply reply;
  reply.status = ws::RunStatus::kStackOverflow;
  ws::cpu::describe_running_thread(reply);
  reply.site = site;
  ws::cpu::report_and_exit(reply);
}

void ws_rt_local_give(std::uint64_t bytes) {
  ws::cpu::current_runner()->give_local(bytes);
}

// Ids, for functions that could not be inlined (recursive ones).
std::uint32_t ws_rt_tid_x() {
  return ws::cpu::running_fiber().thread[0];
}

std::uint32_t ws_rt_tid_y() {
  return ws::cpu::running_fiber().thread[1];
}

std::uint32_t ws_rt_tid_z() {
  return ws::cpu::running_fiber().thread[2];
}

#define WS_BLOCK_FIELD(name, field)                   \
  std::uint32_t name() {                              \
    return ws::cpu::current_runner()->block()->field; \
  }
WS_BLOCK_FIELD(ws_rt_bid_x, block_idx[0])
WS_BLOCK_FIELD(ws_rt_bid_y, block_idx[1])
WS_BLOCK_FIELD(ws_rt_bid_z, block_idx[2])
WS_BLOCK_FIELD(ws_rt_bdim_x, block_dim[0])
WS_BLOCK_FIELD(ws_rt_bdim_y, block_dim[1])
WS_BLOCK_FIELD(ws_rt_bdim_z, block_dim[2])
WS_BLOCK_FIELD(ws_rt_gdim_x, grid_dim[0])
WS_BLOCK_FIELD(ws_rt_gdim_y, grid_dim[1])
WS_BLOCK_FIELD(ws_rt_gdim_z, grid_dim[2])
WS_BLOCK_FIELD(ws_rt_cooperative, cooperative)
#undef WS_BLOCK_FIELD

}  // extern "C"

namespace ws::cpu {
namespace {

// The library functions by their C symbols: only addresses are taken, so one type serves them all.
namespace library {
extern "C" {
#define WS_RUNTIME(symbol)
#define WS_INSERTED(symbol)
#define WS_LIBRARY(symbol) void ws_library_##symbol() __asm__(#symbol);
#define WS_SUPPORT(symbol) WS_LIBRARY(symbol)
#include "runtime/device/cpu/imports.def"
#undef WS_RUNTIME
#undef WS_INSERTED
#undef WS_LIBRARY
#undef WS_SUPPORT
}
}  // namespace library

std::map<std::string, void*> make_table() {
  return {
#define WS_RUNTIME(symbol) {#symbol, reinterpret_cast<void*>(&::symbol)},
#define WS_INSERTED(symbol) WS_RUNTIME(symbol)
#define WS_LIBRARY(symbol) {#symbol, reinterpret_cast<void*>(&library::ws_library_##symbol)},
#define WS_SUPPORT(symbol) WS_LIBRARY(symbol)
#include "runtime/device/cpu/imports.def"
#undef WS_RUNTIME
#undef WS_INSERTED
#undef WS_LIBRARY
#undef WS_SUPPORT
  };
}

}  // namespace

void* import_address(const std::string& name) {
  static const std::map<std::string, void*> table = make_table();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

}  // namespace ws::cpu
