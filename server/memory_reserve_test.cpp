#include "server/memory_reserve.h"

#include <cstdio>
#include <new>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/protocol/message.h"

namespace ws {

TEST_SUITE("server.memory") {
#ifndef __SANITIZE_ADDRESS__  // It wants more address space than the test leaves.
  TEST_CASE("a message that there is no memory for is an exception, not the end") {
    std::string many = "[0";
    for (int i = 0; i < 5000000; ++i) {
      many += ",0";
    }
    many += "]";
    // With each limit another allocation fails: in the parser, or in what cleans up after it.
    for (int mib = 16; mib <= 160; mib += 16) {
      CAPTURE(mib);
      const pid_t child = ::fork();
      if (child == 0) {
        keep_memory_reserve();
        std::size_t pages = 0;
        FILE* statm = std::fopen("/proc/self/statm", "r");
        if (statm == nullptr || std::fscanf(statm, "%zu", &pages) != 1) {
          ::_exit(2);
        }
        const rlim_t now = pages * 4096 + (static_cast<rlim_t>(mib) << 20U);
        const rlimit space{now, now};
        ::setrlimit(RLIMIT_AS, &space);
        try {
          const Json value = Json::parse(many);
        } catch (const std::bad_alloc&) {
          ::_exit(0);
        }
        ::_exit(0);
      }
      int status = -1;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
  }
#endif
}

}  // namespace ws
