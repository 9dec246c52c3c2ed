#include "runtime/lift/symbolic/meanings.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

std::string operation_of(std::string_view instruction) {
  const Meaning* meaning = meaning_of_ptx(instruction);
  return meaning == nullptr ? "unknown" : std::string(meaning->operation);
}

}  // namespace

TEST_SUITE("lift.meanings") {
  TEST_CASE("the longest name of the table decides what an instruction is") {
    CHECK(operation_of("cp.async.cg.shared.global [%0], [%1], 16") ==
          "copy_async(target, source, instruction=\"cp.async\")");
    CHECK(operation_of("cp.async.commit_group") == "commit_group(\"cp.async\")");
    CHECK(operation_of("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier [%0], [%1]") ==
          "copy_async(target, map, barrier, \"tma\")");
    CHECK(operation_of("cp.async.bulk.wait_group.read 0") == "wait_group(n, \"tma\", read=True)");
    CHECK(operation_of("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1") ==
          "barrier.arrive_expect_tx(bytes)");
    CHECK(operation_of("mbarrier.arrive.shared::cta.b64 _, [%0]") == "barrier.arrive()");
    CHECK(operation_of("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%0}, %1, %2") ==
          "gemm_async(a, b, acc=d)");
    CHECK(operation_of("fence.proxy.async") == "fence_proxy_async()");
    CHECK(operation_of("fence.acq_rel.gpu") == "fence()");
    CHECK(operation_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0}, [%4]") ==
          "copy(registers, tile, \"ldmatrix\")");
    CHECK(operation_of("ldmatrixes") == "unknown");
    CHECK(operation_of("tcgen05.mma") == "unknown");
  }

  TEST_CASE("no name stands in two rows, and the table has the families of PTX") {
    std::set<std::pair<MeaningKind, std::string>> names;
    std::size_t families = 0;
    for (const Meaning& row : meanings()) {
      families += row.kind == MeaningKind::kPtx ? 1 : 0;
      CHECK_FALSE(row.meaning.empty());
      std::string_view rest = row.names;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        CAPTURE(std::string(rest.substr(0, end)));
        CHECK(names.emplace(row.kind, std::string(rest.substr(0, end))).second);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    CHECK(families >= 45);
  }

  TEST_CASE("what the lifter treats in its own way is in the table") {
    std::set<Handling> found;
    for (const Meaning& row : meanings()) {
      found.insert(row.handling);
    }
    CHECK(found.size() == static_cast<std::size_t>(Handling::kWait) + 1);
  }

  TEST_CASE("instructions are found between braces, labels, predicates and comments") {
    const std::vector<std::string> found = instructions_of(
        "{\n  .reg .pred p; // the answer\nWAIT:\n  mbarrier.try_wait.parity.b64 p, [%0], %1;\n"
        "  @p bra DONE; /* bra */ bra WAIT;\nDONE:\n @p mov.u32 %2, 1;\n}\n");
    REQUIRE(found.size() == 2);
    CHECK(found[0] == "mbarrier.try_wait.parity.b64 p, [%0], %1");
    CHECK(found[1] == "mov.u32 %2, 1");
    CHECK(instructions_of("{ /* no end").empty());
  }

  TEST_CASE("a namespace of the table names all that is in it, a function only itself") {
    REQUIRE(meaning_of_function("cooperative_groups::this_thread_block") != nullptr);
    CHECK(meaning_of_function("expf")->operation == "exp");
    CHECK(meaning_of_function("expfoo") == nullptr);
    CHECK(meaning_of_function("my::expf") == nullptr);
  }
}

}  // namespace ws::lift
