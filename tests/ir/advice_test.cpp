// The whole text of findings: what is missing, where, and the change that would have made it right.
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/ir/corpus.h"
#include "tests/ir/planted.h"

namespace ws::ir {
namespace {

struct Advice {
  const char* base;
  std::string_view what;  ///< The planted mistake, as Planted has it.
  std::size_t which;      ///< The finding's number, from 0.
  std::string_view want;
};

constexpr std::array<Advice, 18> kAdvice = {{
    {"exchange", "left out: bar_sync(1, 128)  # written", 0,
     "race: `turned` is read while other threads of transposer(0) may still be at the write at "
     "line 22\n"
     "  line 24: store(self.Y, (0, 0), self.turned.T)\n"
     "  line 22: self.turned[:] = load(self.X, (0, 0), (64, 64)) + 1.0\n"
     "  fix: bar_sync(id, 128), with an id for transposer(0) alone, after line 22\n"
     "  worker transposer(0), block 0, schedule in turn, early\n"},
    {"aligned", "left out: self.full[0].wait(0)", 0,
     "read_before_wait: `sA[8:72]` is used by the gemm_async before a wait says that the tma copy "
     "at line 24 is complete\n"
     "  line 36: gemm_async(self.sA[8:72], self.sB.T, acc=acc)\n"
     "  line 24: copy_async(self.sA[8:72], self.A[0:64, 0:64], self.full[0], \"tma\")\n"
     "  fix: wait for phase 0 of `full` before line 36, by a wait with parity 0\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"aligned", "left out: self.full[0].wait(0)", 4,
     "not_waited: the kernel ends, and no worker waited for the operation that line 24 started on "
     "`sA[8:72]`\n"
     "  line 24: copy_async(self.sA[8:72], self.A[0:64, 0:64], self.full[0], \"tma\")\n"
     "  fix: wait for phase 0 of `full` before the kernel ends\n"
     "  worker producer(0), block 0, schedule in turn, early\n"},
    {"aligned", "left out: commit_group(\"cp.async\")", 0,
     "read_before_wait: `sH` is read before a wait says that the cp.async copy at line 30 is "
     "complete\n"
     "  line 44: store(self.R, (0, 0), to(self.sH, \"f32\"))\n"
     "  line 30: copy_async(self.sH, self.H[1:33, 0:64], instruction=\"cp.async\")\n"
     "  fix: commit_group(\"cp.async\") and wait_group(0, \"cp.async\") before line 44; other "
     "workers also need a barrier after it\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"aligned", "left out: commit_group(\"cp.async\")", 1,
     "not_waited: the kernel ends, and no worker waited for the operation that line 30 started on "
     "`sH`\n"
     "  line 30: copy_async(self.sH, self.H[1:33, 0:64], instruction=\"cp.async\")\n"
     "  fix: commit_group(\"cp.async\") and wait_group(0, \"cp.async\") before the kernel ends\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"aligned", "twice the bytes: self.full[0].arrive_expect_tx(17536)", 0,
     "wrong_expect_tx: `full` expects 35072 bytes in phase 0 and 17536 are copied: consumer(1) "
     "waits at line 35 for ever\n"
     "  line 23: self.full[0].arrive_expect_tx((17536) * 2)\n"
     "  line 27: copy_async(self.sT[1, 0:4], self.T, self.full[0], \"tma\")\n"
     "  fix: copy the other 17536 bytes, or expect 17536 bytes\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"arriving", "one arrival fewer to wait for: self.full.init(2)", 0,
     "read_before_wait: `sB[0]` is read before a wait says that the cp.async copy at line 21 is "
     "complete\n"
     "  line 28: acc = gemm(self.sA[s], self.sB[s], acc=acc)\n"
     "  line 21: copy_async(self.sB[s], self.B[k:k + 64, 0:64], self.full[s], \"cp.async\")\n"
     "  fix: let phase 0 of `full[0]` count the arrival of the copy at line 21 too: it ended "
     "before that copy\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"arriving", "the other parity: self.full[s].wait(p // 3 % 2)", 0,
     "read_before_wait: `sA[0]` is read before a wait says that the cp.async copy at line 20 is "
     "complete\n"
     "  line 28: acc = gemm(self.sA[s], self.sB[s], acc=acc)\n"
     "  line 20: copy_async(self.sA[s], self.A[0:64, k:k + 64], self.full[s], \"cp.async\")\n"
     "  fix: wait for phase 0 of `full[0]` before line 28, by a wait with parity 0\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
    {"arriving", "the other parity: self.full[s].wait(p // 3 % 2)", 1,
     "read_before_wait: `sB[0]` is read before the cp.async copy at line 21 fills it\n"
     "  line 28: acc = gemm(self.sA[s], self.sB[s], acc=acc)\n"
     "  line 21: copy_async(self.sB[s], self.B[k:k + 64, 0:64], self.full[s], \"cp.async\")\n"
     "  fix: wait first, on the barrier of that copy or for its group\n"
     "  worker producer(0), block 0, schedule in turn, early\n"},
    {"arriving", "left out: self.empty[s].wait(p // 3 % 2 ^ 1)", 0,
     "race: `sA[0]` is used by the cp.async copy and nothing orders it after the read at line 28 "
     "by consumer(1)\n"
     "  line 20: copy_async(self.sA[s], self.A[0:64, k:k + 64], self.full[s], \"cp.async\")\n"
     "  line 28: acc = gemm(self.sA[s], self.sB[s], acc=acc)\n"
     "  fix: wait for `empty[0]` before line 20: consumer(1) arrives there at line 29\n"
     "  worker producer(0), block 0, schedule in turn, early\n"},
    {"chained", "one arrival fewer to wait for: self.v_empty.init(2)", 3,
     "over_arrival: `v_full[0]` gets 1 more arrivals in phase 1, and 0 of 1 are missing\n"
     "  line 33: self.v_full[s].arrive_expect_tx(self.sV[s])\n"
     "  fix: wait for the end of that phase first: 16384 bytes missing\n"
     "  worker producer(0), block 0, schedule starved 1, late\n"},
    {"chained",
     "always filled into the first stage: copy_async(self.sK[s], self.K[j * 64:j * 64 + 64, :], "
     "self.k_full[s], \"tma\")",
     2,
     "overwritten_in_flight: `sK[0]` is used by the tma copy while the gemm_async at line 53 may "
     "still read it\n"
     "  line 31: copy_async(self.sK[0], self.K[j * 64:j * 64 + 64, :], self.k_full[s], \"tma\")\n"
     "  line 53: S = gemm_async(self.sQ[row:row + 64, :], self.sK[s].T)\n"
     "  fix: let consumer(2) arrive at a barrier after the operation of line 53 is complete, and "
     "wait for it before line 31\n"
     "  worker producer(0), block 0, schedule in turn, early\n"},
    {"chained", "left out: commit_group(\"wgmma\")", 1,
     "overwritten_in_flight: `sK[0]` is used by the tma copy while the gemm_async at line 43 may "
     "still read it\n"
     "  line 31: copy_async(self.sK[s], self.K[j * 64:j * 64 + 64, :], self.k_full[s], \"tma\")\n"
     "  line 43: S = gemm_async(self.sQ[row:row + 64, :], self.sK[0].T)\n"
     "  fix: commit_group(\"wgmma\") and wait_group(0, \"wgmma\") before line 46, where "
     "consumer(2) arrives at `k_empty[0]`\n"
     "  worker producer(0), block 0, schedule in turn, early\n"},
    {"handshake", "a line too early: self.ready.arrive()", 0,
     "race: `s[0:32]` is read and nothing orders it after the write at line 18 by writer(0)\n"
     "  line 25: t = self.s[h * 32:h * 32 + 32, :] * 2.0\n"
     "  line 18: self.s[:] = load(self.X, (0, 0), (64, 32)) + 1.0\n"
     "  fix: let writer(0) arrive at `ready` after line 18, not at line 17\n"
     "  worker reader(1), block 0, schedule in turn, early\n"},
    {"halves", "left out: cta_sync()  # the round is through", 0,
     "race: `part[1]` is written and nothing orders it after the read at line 17 by worker(0)\n"
     "  line 14: self.part[w] = self.part[w] + self.part[w + 2]\n"
     "  line 17: store(self.Y, (0, 0), (self.part[0] + self.part[1])[None, :])\n"
     "  fix: let worker(0) arrive at a barrier such as cta_sync() after line 17, and wait for it "
     "before line 14\n"
     "  worker worker(1), block 0, schedule in turn, early\n"},
    {"rounds", "left out: bar_sync(3, 256)  # stored", 0,
     "overwritten_in_flight: `t[32:64]` is written while the tma copy at line 32 may still read "
     "it\n"
     "  line 28: self.t[half * 32:half * 32 + 32] = x\n"
     "  line 32: tma_store(self.Y[p * 64:p * 64 + 64, :], self.t)\n"
     "  fix: let consumer(1) arrive at a barrier such as named barrier 3 after the operation of "
     "line 32 is complete, and wait for it before line 28\n"
     "  worker consumer(2), block 0, schedule in turn, early\n"},
    {"refilled", "left out: fence_proxy_async()", 0,
     "missing_proxy_fence: `sA` is used by the gemm_async, which does not see the cp.async copy at "
     "line 14 without a fence\n"
     "  line 27: gemm_async(self.sA, self.sB.T, acc=acc)\n"
     "  line 14: copy_async(self.sA, self.A[0:64, k:k + 64], instruction=\"cp.async\")\n"
     "  fix: fence_proxy_async() after the wait_group for line 14, before the barrier that passes "
     "it on\n"
     "  worker worker(0), block 0, schedule in turn, early\n"},
    {"ring", "half the bytes: self.full[s].arrive_expect_tx(16384)", 0,
     "read_before_wait: `sB[0]` is used by the gemm_async before a wait says that the tma copy at "
     "line 23 is complete\n"
     "  line 32: gemm_async(self.sA[s], self.sB[s].T, acc=acc)\n"
     "  line 23: copy_async(self.sB[s], self.B[0:64, k:k + 64], self.full[s], \"tma\")\n"
     "  fix: let phase 0 of `full[0]` expect the bytes of the copy at line 23 too: it ended before "
     "that copy\n"
     "  worker consumer(1), block 0, schedule in turn, early\n"},
}};

/// The program with the mistake of a row; empty when there is none.
std::string mistaken(const Advice& row) {
  for (const Planted& planted : planted_in(base_text(row.base))) {
    if (planted.what == row.what) {
      return planted.text;
    }
  }
  return "";
}

TEST_SUITE("ir.advice") {
  TEST_CASE("a finding says what is missing, and where it belongs") {
    for (const Advice& row : kAdvice) {
      CAPTURE(row.base);
      CAPTURE(row.what);
      const std::string text = mistaken(row);
      REQUIRE_FALSE(text.empty());
      RunOptions options;
      options.mode = ValueMode::kNone;
      const RunReport report = run_text(text, arguments_of(text), options);
      REQUIRE(report.findings.size() > row.which);
      CHECK(render(report.findings[row.which], text) == row.want);
    }
  }
}

}  // namespace
}  // namespace ws::ir
