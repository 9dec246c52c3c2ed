// Memory for cleaning up after an allocation that failed.
#pragma once

#include <cstddef>

namespace ws::server {

/// Sets some memory aside that only destructors get, while an exception is on its way, and a thread
/// with a Need: a JSON value needs memory to be destroyed, and a destructor that gets none ends the
/// process. Call it at the start, and again when a request has ended: what was used is set aside
/// again, where there is room again. Any thread.
void keep_memory_reserve();

/// A large message that is worked on. Several that each begin with the memory that is left would
/// take it from everything else that the server does.
class MessageRoom {
 public:
  /// Throws std::bad_alloc where there is not so much address space left as all those that live may
  /// take. Takes none itself. Any thread.
  explicit MessageRoom(std::size_t text_bytes);
  MessageRoom(const MessageRoom&) = delete;
  MessageRoom& operator=(const MessageRoom&) = delete;
  ~MessageRoom();

 private:
  const std::size_t bytes_;
};

}  // namespace ws::server
