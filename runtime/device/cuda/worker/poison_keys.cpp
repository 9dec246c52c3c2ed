#include "runtime/device/cuda/worker/poison_keys.h"

#include <bit>
#include <cstring>

#include "runtime/base/keyed_stream.h"

namespace ws::cuda {

PoisonKeys speck_round_keys(const std::array<std::uint32_t, 4>& key) {
  PoisonKeys rounds{};
  std::array<std::uint32_t, 3> rest = {key[1], key[2], key[3]};
  rounds[0] = key[0];
  for (std::uint32_t i = 0; i + 1 < rounds.size(); ++i) {
    std::uint32_t& next = rest[i % rest.size()];
    next = (rounds[i] + std::rotr(next, 8)) ^ i;
    rounds[i + 1] = std::rotl(rounds[i], 3) ^ next;
  }
  return rounds;
}

PoisonKeys poison_keys(std::uint64_t poison, std::string_view memory, std::uint64_t step) {
  const StreamKey bytes = derive_key(poison, memory, step);
  std::array<std::uint32_t, 4> key{};
  std::memcpy(key.data(), bytes.data(), bytes.size());
  return speck_round_keys(key);
}

}  // namespace ws::cuda
