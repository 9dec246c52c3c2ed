#include "runtime/compile/compile_service.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {

TEST_SUITE("compile.service") {
  CompileService::Options real() {
    CompileService::Options options;
    options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
    return options;
  }

  CompileRequest request_of(const std::string& body) {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source = "__global__ void k(int* x) { " + body + " }\n";
    request.source.entries = {"k"};
    return request;
  }

  CacheUse cache_of(const Result<CompileReply>& reply) {
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    return reply->cache;
  }

  TEST_CASE("a known request is a hit, a fresh one a bypass, and an old one is forgotten") {
    CompileService::Options options = real();
    options.cache_entries = 2;
    CompileService service(options);
    const auto first = service.compile(request_of("x[0] = 1;"), {});
    CHECK(cache_of(first) == CacheUse::kMiss);
    const auto again = service.compile(request_of("x[0] = 1;"), {});
    CHECK(cache_of(again) == CacheUse::kHit);
    CHECK(again->outcome == first->outcome);
    CHECK(cache_of(service.compile(request_of("x[0] = 1;"), {}, true)) == CacheUse::kBypass);
    CHECK(cache_of(service.compile(request_of("x[0] = 2;"), {})) == CacheUse::kMiss);
    CHECK(cache_of(service.compile(request_of("x[0] = 1;"), {})) == CacheUse::kHit);
    CHECK(cache_of(service.compile(request_of("x[0] = 3;"), {})) == CacheUse::kMiss);
    CHECK(cache_of(service.compile(request_of("x[0] = 1;"), {})) == CacheUse::kHit);
    CHECK(cache_of(service.compile(request_of("x[0] = 2;"), {})) == CacheUse::kMiss);
  }

  TEST_CASE("errors of the text are kept like results") {
    CompileService service(real());
    const auto first = service.compile(request_of("x[0] = nothing;"), {});
    CHECK(cache_of(first) == CacheUse::kMiss);
    CHECK(first->outcome->verdict == CompileVerdict::kCompileError);
    CHECK(cache_of(service.compile(request_of("x[0] = nothing;"), {})) == CacheUse::kHit);
  }

  TEST_CASE("equal requests at the same time are compiled once") {
    CompileService service(real());
    REQUIRE(service.info().has_value());
    constexpr int kCallers = 6;
    std::array<CacheUse, kCallers> uses{};
    {
      std::vector<std::jthread> callers;
      for (CacheUse& use : uses) {
        callers.emplace_back(
            [&] { use = service.compile(request_of("x[0] = 5;"), {}).value().cache; });
      }
    }
    CHECK(std::count(uses.begin(), uses.end(), CacheUse::kMiss) == 1);
    CHECK(std::count(uses.begin(), uses.end(), CacheUse::kBypass) == 0);
  }

  TEST_CASE("a cancelled compile ends at once, and its worker is not used again") {
    CompileService service(real());
    REQUIRE(service.info().has_value());
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = service.compile(request_of("x[0] = 6;"), stop.get_token());
    REQUIRE_FALSE(cancelled.has_value());
    CHECK(to_text(cancelled.error()) == "cancelled: the call was cancelled");
    CHECK(cache_of(service.compile(request_of("x[0] = 6;"), {})) == CacheUse::kMiss);
  }

  TEST_CASE("a template that never ends is a verdict, not a hang") {
    CompileService service(real());
    CompileRequest request = request_of("x[0] = F<100000>::v;");
    request.source.source =
        "template <int N> struct F { static const int v = F<N - 1>::v + 1; };\n" +
        request.source.source;
    const auto reply = service.compile(request, {});
    REQUIRE(reply.has_value());
    CHECK(reply->outcome->verdict == CompileVerdict::kCompileError);
  }

  struct Impostor {
    const char* name;
    const char* script;  ///< A shell script in place of the worker; descriptor 3 is its socket.
    const char* message;
  };

  constexpr const char* kReady = "printf '\\016\\0\\0\\0ready\\nv\\nx86-64' >&3\n";

  // A frame's length, then its text, in octal.
  constexpr Impostor kImpostors[] = {
      {"exits", "exit 0\n",
       "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
      {"talks nonsense", "printf '\\003\\0\\0\\0abc' >&3\nsleep 5\n",
       "unsupported: the CPU engine's compiler is not available (abc); run `warpsmith doctor` to "
       "see "
       "what is missing"},
      {"says what is missing", "printf '\\010\\0\\0\\0error\\nno' >&3\nsleep 5\n",
       "unsupported: the CPU engine's compiler is not available (no); run `warpsmith doctor` to "
       "see "
       "what is missing"},
      {"promises a giant frame", "printf '\\377\\377\\377\\377' >&3\nsleep 5\n",
       "device_lost: a worker process broke the protocol (a frame of 4294967295 bytes, the limit "
       "is "
       "4096)"},
      {"answers nonsense",
       "READY head -c 1 <&3 >/dev/null\nprintf '\\003\\0\\0\\0abc' >&3\nsleep 5\n",
       "internal: a compile outcome without an image part"},
      {"dies at work", "READY head -c 1 <&3 >/dev/null\nkill -9 $$\n",
       "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
  };

  TEST_CASE("a worker that is not one is an error that names what is wrong") {
    const TestFolder folder;
    for (const Impostor& c : kImpostors) {
      CAPTURE(std::string(c.name));
      std::string script = std::string("#!/bin/sh\n") + c.script;
      if (const std::size_t at = script.find("READY "); at != std::string::npos) {
        script.replace(at, 6, kReady);
      }
      CompileService::Options options;
      options.executable = folder.path() / "worker.sh";
      options.deadline = std::chrono::milliseconds(3000);
      REQUIRE(write_file(options.executable, script).has_value());
      std::filesystem::permissions(options.executable, std::filesystem::perms::owner_all);
      CompileService service(options);
      const auto reply = service.compile(request_of(""), {});
      REQUIRE_FALSE(reply.has_value());
      CHECK(to_text(reply.error()) == c.message);
    }
  }

  TEST_CASE("a worker that stays silent is a timeout") {
    const TestFolder folder;
    CompileService::Options options;
    options.executable = folder.path() / "worker.sh";
    options.deadline = std::chrono::milliseconds(1000);
    REQUIRE(write_file(options.executable, std::string("#!/bin/sh\n") + kReady + "sleep 9\n")
                .has_value());
    std::filesystem::permissions(options.executable, std::filesystem::perms::owner_all);
    CompileService service(options);
    const auto reply = service.compile(request_of(""), {});
    REQUIRE(reply.has_value());
    CHECK(reply->outcome->verdict == CompileVerdict::kTimeout);
    CHECK(reply->outcome->message == "the compiler did not answer within 1 s");
  }

  TEST_CASE("an executable that is not there is named by the call that failed") {
    CompileService::Options options;
    options.executable = "/nowhere/warpsmith";
    CompileService service(options);
    const auto reply = service.compile(request_of(""), {});
    REQUIRE_FALSE(reply.has_value());
    CHECK(to_text(reply.error()) ==
          "io: cannot start a worker process (posix_spawn: No such file or directory)");
  }
}

}  // namespace ws
