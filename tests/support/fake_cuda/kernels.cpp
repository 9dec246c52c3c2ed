// The kernels of the fake driver; tests/contract has the same ones as CUDA source.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include <unistd.h>

#include "runtime/device/output_digest.h"
#include "tests/support/fake_cuda/fake_cuda.h"

namespace ws::fake_cuda {
namespace {

template <typename T>
T argument(const Launch& launch, std::size_t index) {
  T value{};
  std::memcpy(&value, launch.arguments[index], sizeof value);
  return value;
}

void add_one(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  for (int i = 0; i < argument<int>(launch, 1); ++i) {
    ++values[i];
  }
}

void twice(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  for (int i = 0; i < argument<int>(launch, 1); ++i) {
    values[i] *= 2;
  }
}

void add_index(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  for (int i = 0; i < argument<int>(launch, 1); ++i) {
    values[i] += i;
  }
}

/// add_one, unless the same values were there before in any order: then it gives what it kept.
void replays(const Launch& launch) {
  static std::map<long, std::vector<int>> kept;
  auto* values = argument<int*>(launch, 0);
  const int n = argument<int>(launch, 1);
  const long key = std::accumulate(values, values + n, 0L);
  if (const auto at = kept.find(key); at != kept.end()) {
    std::copy(at->second.begin(), at->second.end(), values);
    return;
  }
  add_one(launch);
  kept[key] = std::vector<int>(values, values + n);
}

/// Right at its first launch in a process.
void right_once(const Launch& launch) {
  static bool launched = false;
  (launched ? twice : add_one)(launch);
  launched = true;
}

/// Right where n is 64 or less.
void small_only(const Launch& launch) {
  (argument<int>(launch, 1) > 64 ? twice : add_one)(launch);
}

/// Writes one element past the buffer's end.
void past_end(const Launch& launch) {
  argument<int*>(launch, 0)[argument<int>(launch, 1)] = 7;
}

/// Counts its launches in a variable of the module.
void count(const Launch& launch) {
  auto& counter = launch.entry->module->variables.at("counter").bytes;
  int value = 0;
  std::memcpy(&value, counter.data(), sizeof value);
  ++value;
  std::memcpy(counter.data(), &value, sizeof value);
  argument<int*>(launch, 0)[0] = value;
}

/// Writes its result where launches are restored from, as a kernel may that finds the place.
void spoil_copies(const Launch& launch) {
  const auto own = reinterpret_cast<CuDevicePtr>(argument<int*>(launch, 0));
  for (const auto& [address, bytes] : *launch.blocks) {
    if (own < address || own >= address + bytes) {
      *reinterpret_cast<unsigned char*>(address) ^= 1;
    }
  }
}

/// The same, where a variable that is 0 at first is restored from: the rest of that page is
/// overwritten, and the buffers of these tests lie between zeros.
void spoil_values(const Launch& launch) {
  constexpr std::size_t kBehind = 4;
  for (const auto& [address, bytes] : *launch.blocks) {
    const auto* words = reinterpret_cast<const int*>(address);
    if (words[0] == 0 && words[kBehind] != 0) {
      *reinterpret_cast<unsigned char*>(address) ^= 1;
    }
  }
}

/// add_one at its first launch; from then on it does nothing. It remembers at the end of every page
/// that the driver mapped for it.
void remember_behind(const Launch& launch) {
  constexpr int kSeen = 12345;
  bool seen = false;
  for (const auto& [address, bytes] : *launch.blocks) {
    int* const last = reinterpret_cast<int*>(address + bytes) - 1;
    seen = seen || *last == kSeen;
    *last = kSeen;
  }
  if (!seen) {
    add_one(launch);
  }
}

void copy_table(const Launch& launch) {
  const auto& table = launch.entry->module->variables.at("table").bytes;
  std::memcpy(argument<int*>(launch, 0), table.data(), table.size());
}

/// add_one, for as long as a kernel takes that one can wait for.
void nap(const Launch& launch) {
  constexpr unsigned kMicroseconds = 50'000;
  ::usleep(kMicroseconds);
  add_one(launch);
}

void prints(const Launch& launch) {
  std::printf("value %d\n", argument<int*>(launch, 0)[0]);
}

/// The text that the driver writes when a device assertion fails.
void assert_text(const Launch& /*launch*/) {
  std::fprintf(stderr,
               "source:4: void fault_710(int *, int): block: [2,0,0], thread: [31,1,0] Assertion "
               "`x > 0` failed.\n");
}

/// Cluster x, y, z, cooperative, programmatic, dynamic shared memory; then what the function was
/// allowed: non-portable clusters, dynamic shared memory.
void show_launch(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  const auto attribute = [&](int id) {
    const auto at = launch.attributes.find(id);
    return at == launch.attributes.end() ? std::array<unsigned, 3>{} : at->second;
  };
  const auto allowed = [&](int which) {
    const auto at = launch.entry->attributes.find(which);
    return at == launch.entry->attributes.end() ? 0 : at->second;
  };
  const auto [x, y, z] = attribute(kCuLaunchClusterDimension);
  for (const unsigned value :
       {x, y, z, attribute(kCuLaunchCooperative)[0],
        attribute(kCuLaunchProgrammaticSerialization)[0], launch.shared_bytes,
        static_cast<unsigned>(allowed(kCuFuncNonPortableClusterSize)),
        static_cast<unsigned>(allowed(kCuFuncMaxDynamicSharedBytes))}) {
    *values++ = static_cast<int>(value);
  }
}

/// All that its tensor map was made from: type, bytes from `values` to its data, modes; then rank,
/// shape, strides, box, element strides.
void show_map(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  const auto& map = *argument<const MapRecord*>(launch, 2);
  const auto put = [&values](auto value) { *values++ = static_cast<int>(value); };
  put(map.type);
  put(map.address - reinterpret_cast<CuDevicePtr>(argument<int*>(launch, 0)));
  std::for_each(map.modes.begin(), map.modes.end(), put);
  put(map.shape.size());
  std::for_each(map.shape.begin(), map.shape.end(), put);
  std::for_each(map.strides.begin(), map.strides.end(), put);
  std::for_each(map.box.begin(), map.box.end(), put);
  std::for_each(map.element_strides.begin(), map.element_strides.end(), put);
}

/// All that its texture was made from: the source's type, format, channels, width, height and depth
/// (of linear memory bytes, 0, 0; of rows width, height, bytes of a row), address mode, filter,
/// flags; then copies to arrays so far, arrays and texture objects alive, and the first element as
/// an int.
void show_texture(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  const auto& texture = *argument<const TextureRecord*>(launch, 2);
  const CuTextureSource& source = texture.source;
  const auto* array =
      source.type == kCuSourceArray ? object_of<ArrayRecord>(source.array) : nullptr;
  const bool rows = source.type == kCuSourceRows;
  const auto* data = array != nullptr
                         ? array->bytes.data()
                         : reinterpret_cast<const unsigned char*>(source.linear.address);
  int first = 0;
  std::memcpy(&first, data, sizeof first);
  const std::array<std::size_t, 3> size =
      array != nullptr ? std::array{array->form.width, array->form.height, array->form.depth}
      : rows           ? std::array{source.rows.width, source.rows.height, source.rows.row_bytes}
                       : std::array{source.linear.bytes, std::size_t{0}, std::size_t{0}};
  const int format = array != nullptr ? array->form.format : source.linear.format;
  const unsigned channels = array != nullptr ? array->form.channels : source.linear.channels;
  const std::array<int, 12> shown = {source.type,
                                     format,
                                     static_cast<int>(channels),
                                     static_cast<int>(size[0]),
                                     static_cast<int>(size[1]),
                                     static_cast<int>(size[2]),
                                     texture.form.address[0],
                                     texture.form.filter,
                                     static_cast<int>(texture.form.flags),
                                     driver().array_copies,
                                     driver().textures,
                                     first};
  std::copy(shown.begin(), shown.end(), values);
}

/// The four words of its struct.
void show_struct(const Launch& launch) {
  const auto words = argument<std::array<int, 4>>(launch, 2);
  std::copy(words.begin(), words.end(), argument<int*>(launch, 0));
}

/// All that this process has loaded, unloaded or not.
void count_modules(const Launch& launch) {
  argument<int*>(launch, 0)[0] = driver().modules_loaded;
}

/// The value that a launch leaves in local memory.
int& left_in_local() {
  static int left = 0;
  return left;
}

/// Tells what it finds there.
void keep_local(const Launch& launch) {
  auto* values = argument<int*>(launch, 0);
  values[0] = left_in_local();
  left_in_local() = 42;
}

void poison_local(const Launch& /*launch*/) {
  left_in_local() = -1;
}

/// As digest_kernel.h says, by itself for all parts.
void digest_ints(const Launch& launch) {
  const auto* values = argument<const int*>(launch, 0);
  const auto count = argument<std::uint64_t>(launch, 1);
  const auto key = argument<std::uint64_t>(launch, 2);
  auto* parts = argument<OutputDigest::Part*>(launch, 3);
  for (std::uint64_t part = 0; part < kDigestParts; ++part) {
    const std::uint64_t end = digest_part_begin(count, part + 1);
    for (std::uint64_t i = digest_part_begin(count, part); i < end; ++i) {
      const double value = values[i];
      const bool negative = ((i * 0x9e3779b97f4a7c15 + key) >> 60U) % 2 != 0;
      parts[part].signed_sum += negative ? -value : value;
      parts[part].squares += value * value;
    }
  }
}

/// c = a b of float[n][n], row after row.
void product(const Launch& launch) {
  const auto* a = argument<const float*>(launch, 0);
  const auto* b = argument<const float*>(launch, 1);
  auto* c = argument<float*>(launch, 2);
  const int n = argument<int>(launch, 3);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * n + column];
      }
      c[row * n + column] = sum;
    }
  }
}

/// The same and one more, as if there were a bias.
void product_and_one(const Launch& launch) {
  product(launch);
  const int n = argument<int>(launch, 3);
  std::for_each_n(argument<float*>(launch, 2), n * n, [](float& value) { ++value; });
}

void nothing(const Launch& /*launch*/) {}

}  // namespace

int number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + word.size());
}

const Kernel* find_kernel(const std::string& name) {
  static const std::array kKernels = {
      Kernel{"add_one", {8, 4}, add_one},
      Kernel{"twice", {8, 4}, twice},
      Kernel{"add_index", {8, 4}, add_index},
      Kernel{"replays", {8, 4}, replays},
      Kernel{"past_end", {8, 4}, past_end},
      Kernel{"count", {8, 4}, count},
      Kernel{"copy_table", {8, 4}, copy_table},
      Kernel{"prints", {8, 4}, prints},
      Kernel{"fault_710", {8, 4}, assert_text},
      Kernel{"spoil_copies", {8, 4}, spoil_copies},
      Kernel{"spoil_values", {8, 4}, spoil_values},
      Kernel{"remember_behind", {8, 4}, remember_behind},
      Kernel{"show_launch", {8, 4}, show_launch},
      Kernel{"show_map", {8, 4, 128}, show_map},
      Kernel{"show_texture", {8, 4, 8}, show_texture},
      Kernel{"show_struct", {8, 4, 16}, show_struct},
      Kernel{"keep_local_64", {8, 4}, keep_local},
      Kernel{"ws_poison_local", {108, 4}, poison_local},
      Kernel{"ws_poison_shared", {108, 4}, nothing},
      Kernel{"ws_make_evictable", {8, 8}, nothing},
      Kernel{"ws_digest_i32", {8, 8, 8, 8}, digest_ints},
      Kernel{"nap", {8, 4}, nap},
      Kernel{"count_modules", {8, 4}, count_modules},
      Kernel{"right_once", {8, 4}, right_once},
      Kernel{"small_only", {8, 4}, small_only},
      Kernel{"product", {8, 8, 8, 4}, product},
      Kernel{"product_and_one", {8, 8, 8, 4}, product_and_one},
  };
  for (const Kernel& kernel : kKernels) {
    if (name == kernel.name) {
      return &kernel;
    }
  }
  return nullptr;
}

}  // namespace ws::fake_cuda
