#include "runtime/device/arena.h"

#include <cstring>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/engine_bench.h"

namespace ws {

TEST_SUITE("device.arena") {
  using test::buffer_of;

  constexpr std::uint64_t kMiB = 1 << 20U;

  TEST_CASE("each buffer is aligned and lies between guards that touch nothing else") {
    const auto arena = Arena::create({buffer_of("a", DType::kI8, 5), buffer_of("b", DType::kF64, 3),
                                      buffer_of("c", DType::kF32, 0)},
                                     kMiB);
    REQUIRE(arena.has_value());
    REQUIRE((*arena)->size() == 3);
    const std::byte* end = nullptr;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [before, after] = (*arena)->guards(i);
      const auto buffer = (*arena)->buffer(i);
      CHECK((*arena)->offset(i) % 256 == 0);
      CHECK(before.size() == Arena::kGuardBytes);
      CHECK(after.size() >= Arena::kGuardBytes);
      CHECK(before.data() + before.size() == buffer.data());
      CHECK(buffer.data() + buffer.size() == after.data());
      CHECK((end == nullptr || before.data() >= end));
      end = after.data() + after.size();
    }
    CHECK((*arena)->buffer(0).size() == 5);
    CHECK((*arena)->buffer(1).size() == 24);
    CHECK((*arena)->buffer(2).empty());
  }

  TEST_CASE("another mapping of the file sees the same bytes, and nobody can resize it") {
    const auto arena = Arena::create({buffer_of("a", DType::kI32, 100)}, kMiB);
    REQUIRE(arena.has_value());
    const int fd = (*arena)->fd();
    void* other = ::mmap(nullptr, (*arena)->bytes(), PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(other != MAP_FAILED);
    const int value = 42;
    std::memcpy((*arena)->buffer(0).data(), &value, sizeof value);
    int seen = 0;
    std::memcpy(&seen, static_cast<const char*>(other) + (*arena)->offset(0), sizeof seen);
    CHECK(seen == 42);
    ::munmap(other, (*arena)->bytes());
    CHECK(::ftruncate(fd, 0) == -1);
    CHECK(::ftruncate(fd, 1 << 24U) == -1);
    CHECK(::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == -1);
  }

  TEST_CASE("buffers over the limit are refused by name, also where their sum would wrap") {
    struct Row {
      const char* name;
      std::vector<BufferSpec> buffers;
      const char* reason;
    };

    const std::int64_t quarter = std::int64_t{1} << 60U;
    const Row rows[] = {
        {"one",
         {buffer_of("a", DType::kF32, 10), buffer_of("b", DType::kF32, 300'000)},
         "the buffers need 1 MiB, the limit is 1 MiB; the largest is `b`"},
        {"wrapping",
         {buffer_of("a", DType::kF64, quarter), buffer_of("b", DType::kF64, quarter)},
         "the buffers need 17592186044416 MiB, the limit is 1 MiB; the largest is `a`"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      CHECK(Arena::over_limit(row.buffers, kMiB) == row.reason);
      const auto arena = Arena::create(row.buffers, kMiB);
      REQUIRE_FALSE(arena.has_value());
      CHECK(to_text(arena.error()) ==
            std::string("invalid_argument: ") + row.reason + "; choose a smaller workload");
    }
    CHECK(Arena::over_limit({buffer_of("a", DType::kF32, 1000)}, kMiB).empty());
  }
}

}  // namespace ws
