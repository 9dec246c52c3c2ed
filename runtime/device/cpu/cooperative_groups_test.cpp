// Cooperative groups on the CPU engine, against what the same threads compute here.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.groups") {
  constexpr int kThreads = 96;  // 32 x 3, so that ranks are not x alone.

  /// The values that `body` leaves in `out` of each thread of two blocks; `me` is the thread's
  /// rank.
  std::vector<int> run_groups(const std::string& body) {
    EngineRun run;
    run.source =
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        "#include <cooperative_groups/memcpy_async.h>\n#include <cooperative_groups/scan.h>\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(int* out) {\n  cg::thread_block block = cg::this_thread_block();\n"
        "  int me = block.thread_rank();\n  int* mine = out + cg::this_grid().thread_rank();\n" +
        body + "\n}\n";
    run.entry = "k";
    run.grid = {2, 1, 1};
    run.block = {32, 3, 1};
    run.buffers = {buffer_of("out", DType::kI32, 2 * kThreads)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto values = result.buffer<int>(0);
    return {values.begin(), values.end()};
  }

  struct GroupCase {
    const char* name;
    const char* body;
    int (*want)(int me);
  };

  TEST_CASE("groups, their shuffles, votes and reductions are those of CUDA") {
    const GroupCase cases[] = {
        {"rank in the block", "*mine = me + 1000 * block.size();",
         [](int me) { return me + 1000 * kThreads; }},
        {"a tile's rank and number",
         "auto tile = cg::tiled_partition<8>(block);\n"
         "*mine = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.size() + "
         "100000 * tile.meta_group_size();",
         [](int me) { return me % 8 + 100 * (me / 8) + 80000 + 100000 * (kThreads / 8); }},
        {"a tile of a tile",
         "auto tile = cg::tiled_partition<4>(cg::tiled_partition<32>(block));\n"
         "*mine = tile.thread_rank() + 100 * tile.meta_group_rank() + 1000 * "
         "tile.meta_group_size();",
         [](int me) { return me % 4 + 100 * (me % 32 / 4) + 8000; }},
        {"a shuffle in a tile",
         "auto tile = cg::tiled_partition<16>(block);\n*mine = tile.shfl(me, 3);",
         [](int me) { return me / 16 * 16 + 3; }},
        {"shuffles up, down and across",
         "auto tile = cg::tiled_partition<8>(block);\n"
         "*mine = tile.shfl_up(me, 1) + 1000 * tile.shfl_down(me, 2) + 1000000 * "
         "tile.shfl_xor(me, 1);",
         [](int me) {
           const int up = me % 8 == 0 ? me : me - 1;
           const int down = me % 8 >= 6 ? me : me + 2;
           return up + 1000 * down + 1000000 * (me ^ 1);
         }},
        {"votes of a tile",
         "auto tile = cg::tiled_partition<4>(block);\n"
         "*mine = tile.ballot(me % 3 == 0) + 100 * tile.any(me == 5) + 1000 * tile.all(me > 3);",
         [](int me) {
           int ballot = 0;
           for (int i = 0; i < 4; ++i) {
             ballot |= (me / 4 * 4 + i) % 3 == 0 ? 1 << i : 0;
           }
           return ballot + (me / 4 == 1 ? 100 : 0) + (me >= 4 ? 1000 : 0);
         }},
        {"a sum in a warp",
         "*mine = cg::reduce(cg::tiled_partition<32>(block), me, cg::plus<int>());",
         [](int me) { return me / 32 * 32 * 32 + 31 * 16; }},
        {"the least and the largest",
         "auto tile = cg::tiled_partition<8>(block);\n"
         "*mine = cg::reduce(tile, me ^ 5, cg::less<int>()) + 1000 * cg::reduce(tile, me ^ 5, "
         "cg::greater<int>());",
         [](int me) { return me / 8 * 8 + 1000 * (me / 8 * 8 + 7); }},
        {"a barrier and a copy",
         "__shared__ int from[96], to[96];\nfrom[95 - me] = me;\nblock.sync();\n"
         "cg::memcpy_async(block, to, from, sizeof(from));\ncg::wait(block);\n"
         "*mine = to[(me + 1) % 96];",
         [](int me) { return 95 - (me + 1) % 96; }},
        {"a group of any kind",
         "cg::thread_group whole = block, part = cg::tiled_partition(whole, 8);\npart.sync();\n"
         "whole.sync();\n*mine = whole.size() * 10000 + part.size() * 100 + part.thread_rank();",
         [](int me) { return kThreads * 10000 + 800 + me % 8; }},
        {"a partition by label",
         "auto same = cg::labeled_partition(cg::tiled_partition<32>(block), me % 3);\n"
         "*mine = same.size() * 100 + same.thread_rank();",
         [](int me) {
           const int warp = me / 32 * 32;
           int size = 0;
           int rank = 0;
           for (int i = warp; i < warp + 32; ++i) {
             size += i % 3 == me % 3 ? 1 : 0;
             rank += i % 3 == me % 3 && i < me ? 1 : 0;
           }
           return size * 100 + rank;
         }},
        {"a partition in two",
         "auto half = cg::binary_partition(cg::tiled_partition<16>(block), me % 16 < 5);\n"
         "*mine = half.size() * 100 + cg::reduce(half, 1, cg::plus<int>());",
         [](int me) { return me % 16 < 5 ? 505 : 1111; }},
        {"lanes that are here together",
         "*mine = 0;\nif (me % 2) {\n  auto here = cg::coalesced_threads();\n"
         "  *mine = here.size() * 100 + here.shfl(me, 1) % 32;\n}",
         [](int me) { return me % 2 != 0 ? 1603 : 0; }},
        {"a reduction of structs by a function",
         "struct Best {\n  int value, at;\n"
         "  static __device__ Best larger(Best a, Best b) { return a.value >= b.value ? a : b; }\n"
         "};\nBest one = {me * 7 % 32, me};\n"
         "*mine = cg::reduce(cg::tiled_partition<32>(block), one, Best::larger).at;",
         [](int me) { return me / 32 * 32 + 9; }},
        {"scans",
         "auto tile = cg::tiled_partition<8>(block);\n"
         "*mine = cg::inclusive_scan(tile, me % 8) * 100 + cg::exclusive_scan(tile, 1);",
         [](int me) { return me % 8 * (me % 8 + 1) / 2 * 100 + me % 8; }},
        {"matches in a tile",
         "auto tile = cg::tiled_partition<4>(block);\nint all;\n"
         "*mine = tile.match_any(me % 2) + 100 * (tile.match_all(7, all) + 1000 * all);",
         [](int me) { return (me % 2 == 0 ? 5 : 10) + 100 * 1015; }},
    };
    for (const GroupCase& c : cases) {
      CAPTURE(c.name);
      const std::vector<int> got = run_groups(c.body);
      for (int i = 0; i < 2 * kThreads; ++i) {
        CAPTURE(i);
        CHECK(got[static_cast<std::size_t>(i)] == c.want(i % kThreads));
      }
    }
  }
}

}  // namespace ws::test
