#include "server/memory_reserve.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/no_memory.h"
#include "server/protocol/message.h"

namespace ws::server {
namespace {

/// The process may take so much more than it has now. False: its limit cannot be set.
bool limit_to(std::size_t mib) {
  std::size_t pages = 0;
  FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr || std::fscanf(statm, "%zu", &pages) != 1) {
    return false;
  }
  std::fclose(statm);
  const rlim_t most = pages * 4096 + (static_cast<rlim_t>(mib) << 20U);
  const rlimit space{most, most};
  return ::setrlimit(RLIMIT_AS, &space) == 0;
}

/// The wait status of a child process that runs `body`.
int status_of(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

bool is_refused(const std::function<void()>& act) {
  try {
    act();
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

}  // namespace

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
      CHECK(status_of([&] {
              keep_memory_reserve();
              [[maybe_unused]] const bool refused =
                  limit_to(static_cast<std::size_t>(mib)) &&
                  is_refused([&] { const Json value = Json::parse(many); });
              return true;
            }) == 0);
    }
  }

  TEST_CASE("where nothing is left, what must not be lost still has what was set aside") {
    CHECK(status_of([] {
            keep_memory_reserve();
            if (!limit_to(32)) {
              return false;
            }
            for (std::size_t bytes = std::size_t{1} << 20U; bytes >= 16; bytes /= 2) {
              void* volatile taken = nullptr;  // Otherwise the compiler removes the allocation.
              do {
                taken = std::malloc(bytes);
              } while (taken != nullptr);
            }
            std::string kept;
            const bool none = is_refused([&] { kept.assign(std::size_t{1} << 20U, 'x'); });
            surely([&] { kept.assign(std::size_t{1} << 20U, 'x'); });
            return none && kept.size() == std::size_t{1} << 20U;
          }) == 0);
  }

  TEST_CASE("large messages begin only where all of them have room") {
    CHECK(status_of([] {
            constexpr std::size_t kMiB = std::size_t{1} << 20U;
            if (!limit_to(160)) {
              return false;
            }
            const auto first = std::make_unique<MessageRoom>(kMiB);
            auto second = std::make_unique<MessageRoom>(kMiB);
            const bool none = is_refused([] { const MessageRoom third(kMiB); });
            const MessageRoom small(4096);
            second.reset();
            const MessageRoom again(kMiB);
            return none;
          }) == 0);
  }
#endif
}

}  // namespace ws::server
