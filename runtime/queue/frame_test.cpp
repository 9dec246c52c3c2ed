#include "runtime/queue/frame.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ws {

TEST_SUITE("queue.frame") {
  struct Pair {
    Fd a;
    Fd b;
  };

  Pair make_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    return {Fd(ends[0]), Fd(ends[1])};
  }

  Clock::time_point in_ms(int ms) {
    return Clock::now() + std::chrono::milliseconds(ms);
  }

  void write_raw(const Fd& fd, const std::string& bytes) {
    REQUIRE(::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }

  TEST_CASE("frames arrive whole and in order, the empty one and a large one too") {
    const Pair pair = make_pair();
    const std::string large(5'000'000, 'x');
    std::jthread sender([&] {
      for (const std::string& text : {std::string(), std::string("one\0two", 7), large}) {
        CHECK(send_frame(pair.a.get(), text).has_value());
      }
    });
    for (const std::string& text : {std::string(), std::string("one\0two", 7), large}) {
      const auto received = receive_frame(pair.b.get(), large.size(), in_ms(5000));
      REQUIRE(received.has_value());
      CHECK((received->payload == text));
      CHECK_FALSE(received->fd.valid());
    }
  }

  TEST_CASE("several descriptors travel with one frame, in their order") {
    const Pair pair = make_pair();
    const std::array passed = {make_pair(), make_pair(), make_pair(), make_pair()};
    std::array<int, kMostPassed> numbers{};
    std::ranges::transform(passed, numbers.begin(), [](const Pair& each) { return each.a.get(); });
    REQUIRE(send_frame(pair.a.get(), "here", numbers).has_value());
    std::array<char, 8> data{};
    iovec part{data.data(), data.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof numbers)> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    CHECK(::recvmsg(pair.b.get(), &message, MSG_CMSG_CLOEXEC) == 8);
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    REQUIRE(header != nullptr);
    REQUIRE(header->cmsg_len == CMSG_LEN(sizeof numbers));
    std::memcpy(numbers.data(), CMSG_DATA(header), sizeof numbers);
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const Fd received(numbers.at(i));
      write_raw(received, std::to_string(i));
      char seen = 0;
      CHECK(::read(passed.at(i).b.get(), &seen, 1) == 1);
      CHECK(seen == static_cast<char>('0' + i));
    }
  }

  TEST_CASE("a descriptor travels with its frame") {
    const Pair pair = make_pair();
    const Pair passed = make_pair();
    REQUIRE(send_frame(pair.a.get(), "here", passed.a.get()).has_value());
    const auto received = receive_frame(pair.b.get(), 100, in_ms(1000));
    REQUIRE(received.has_value());
    REQUIRE(received->fd.valid());
    write_raw(received->fd, "!");
    char seen = 0;
    CHECK(::read(passed.b.get(), &seen, 1) == 1);
  }

  struct Bad {
    const char* name;
    std::string bytes;
    bool close;
    const char* message;
  };

  TEST_CASE("what is not a frame is an error that says so") {
    const Bad cases[] = {
        {"nothing", "", true,
         "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
        {"half a length", std::string("\x04\x00", 2), true,
         "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
        {"half a payload", std::string("\x04\x00\x00\x00xy", 6), true,
         "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
        {"too long", "\xff\xff\xff\xff", false,
         "device_lost: a worker process broke the protocol (a frame of 4294967295 bytes, the limit "
         "is 100)"},
        {"silence", "", false, "timeout: the worker process did not answer in time"},
        {"silence within a frame", std::string("\x04\x00\x00\x00xy", 6), false,
         "timeout: the worker process did not answer in time"},
    };
    for (const Bad& c : cases) {
      CAPTURE(std::string(c.name));
      Pair pair = make_pair();
      if (!c.bytes.empty()) {
        write_raw(pair.a, c.bytes);
      }
      if (c.close) {
        pair.a.reset();
      }
      const auto received = receive_frame(pair.b.get(), 100, in_ms(50));
      REQUIRE_FALSE(received.has_value());
      CHECK(to_text(received.error()) == c.message);
    }
  }

  TEST_CASE("sending to a peer that is gone is an error, not a signal") {
    Pair pair = make_pair();
    pair.b.reset();
    const Status sent = send_frame(pair.a.get(), "x");
    REQUIRE_FALSE(sent.has_value());
    CHECK(to_text(sent.error()) ==
          "device_lost: the worker process is gone (sendmsg: Broken pipe)");
  }
}

}  // namespace ws
