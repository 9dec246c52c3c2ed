// Streams of events that a client may lose and take up again: Last-Event-ID of 2025-11-25.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/transport/http_server.h"

namespace ws::server {

/// The head of each answer that is a stream of events.
HttpReply event_stream_head();

/// A message as an event without an id; empty for an empty message.
std::string as_event(const std::string& message);

/// The events of one request. Any thread.
class EventStream {
 public:
  /// @param session  Only its client may take the stream up again.
  /// @param given_up  Called at most once, when nobody may do so any more before the end.
  EventStream(std::string session, std::string name, std::function<void()> given_up);

  /// Sends the head, and a first event that holds nothing but its id.
  void begin(std::shared_ptr<HttpResponder> responder);

  /// Keeps the message, and sends it where a client is there.
  void send(const std::string& message);

  /// The same with the last one. An empty message only ends the stream.
  void finish(const std::string& message);

  /// Sends the head, and what came after the event with that number, to another connection.
  void resume(std::uint64_t after, std::shared_ptr<HttpResponder> responder);

  /// The client of the connection sends nothing more, and may be gone. Nothing where another one
  /// has taken its place.
  void leave(const HttpResponder* responder);

  /// Forgets it: calls `given_up` unless it has ended.
  void give_up();

  [[nodiscard]] bool belongs_to(const std::string& session, const std::string& name) const {
    return session_ == session && name_ == name;
  }

  /// It has ended, or its client is not there.
  [[nodiscard]] bool is_spare() const;

 private:
  struct Event {
    std::uint64_t number = 0;
    std::string text;
  };

  /// With the mutex held.
  std::string add(const std::string& message);

  const std::string session_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::function<void()> given_up_;            // guarded by mutex_
  std::shared_ptr<HttpResponder> responder_;  // guarded by mutex_; null before it begins
  bool left_ = false;                         // guarded by mutex_
  std::deque<Event> events_;                  // guarded by mutex_
  std::size_t bytes_ = 0;                     // guarded by mutex_; of events_
  std::uint64_t last_ = 0;                    // guarded by mutex_
  bool ended_ = false;                        // guarded by mutex_
};

/// The streams of all clients; the oldest that nobody reads are forgotten. Any thread.
class EventStreams {
 public:
  std::shared_ptr<EventStream> open(const std::string& session, std::function<void()> given_up);

  /// The stream that an event came from, and the event's number; null: it is not known to that
  /// session.
  std::pair<std::shared_ptr<EventStream>, std::uint64_t> find(const std::string& session,
                                                              const std::string& event_id);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<EventStream>> streams_;  // guarded by mutex_; the oldest first
};

}  // namespace ws::server
