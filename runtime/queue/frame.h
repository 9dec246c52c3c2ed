// Length-prefixed frames over a socket pair: 4 bytes of length, little-endian, then the payload.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/call_context.h"
#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// The most descriptors that travel with a frame.
inline constexpr std::size_t kMostPassed = 4;

/// Sends one frame; the descriptors travel with its first byte. Blocks until it is all written.
/// @errors kDeviceLost: the peer is gone.
Status send_frame(int socket, std::string_view payload, std::span<const int> pass_fds);

/// As above with the one descriptor, or with none where it is negative.
Status send_frame(int socket, std::string_view payload, int pass_fd = -1);

struct Received {
  std::string payload;
  Fd fd;  ///< The descriptor that came along, if one did.
};

/// Receives one frame.
///
/// @param limit     Longer frames are refused before memory is taken.
/// @param deadline  nullopt = wait for ever.
/// @errors kDeviceLost: the peer closed or died, or a frame over the limit; kTimeout: the deadline
/// passed.
Result<Received> receive_frame(int socket, std::size_t limit,
                               std::optional<Clock::time_point> deadline = std::nullopt);

}  // namespace ws
