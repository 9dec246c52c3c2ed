// Loops of roles and what their threads do: they are lifted as C runs them, or told.
#include <doctest/doctest.h>

#include "tests/support/ordered_ring.h"

namespace ws::test {
namespace {

const std::string kWaits = "          empty[stage].wait(empty[stage].arrive());\n";
const std::string kCommits = "        ws::wgmma_commit();\n";
const std::string kReady = "  Tiles tiles(&queue[0]);\n";
const std::string kMoves = "          a += 16;\n          b += 16;\n";

Edits before(const std::string& place, const std::string& statements) {
  return {{place, statements + place}};
}

Edits joined(Edits one, const Edits& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

Edits with_function(const std::string& function) {
  return {{"class Tiles {", function + "\nclass Tiles {"}};
}

void check_lines(const Edits& edits, const std::string& lines) {
  CAPTURE(edits.back().second);
  const LiftedRing answer = lift_ordered_ring(edits);
  CHECK_MESSAGE(answer.lift["verdict"] == "lifted", answer.lift.dump());
  const std::string made = program_lines(answer);
  CHECK_MESSAGE(made.find(lines) != std::string::npos, made);
}

void check_edits_told(const std::vector<Edits>& rows) {
  for (const Edits& edits : rows) {
    CAPTURE(edits.back().second);
    check_told(lift_ordered_ring(edits));
  }
}

}  // namespace

TEST_SUITE("tools.lift_roles") {
  TEST_CASE("a condition of some threads that depends on something else as well is told") {
    const std::string arrives = " { barrier::arrival_token u = empty[stage].arrive(); }\n";
    check_edits_told({
        before(kCommits,
               "        bool el = threadIdx.x % 128 == 0 && i > 0;\n        if (el)" + arrives),
        before(kCommits, "        if (!(threadIdx.x % 128 == 0 && n == 3))" + arrives),
        before(kCommits,
               "        if ((threadIdx.x % 128 == 0 && n == 3) || threadIdx.x == 200)" + arrives),
    });
  }

  TEST_CASE("a number that some threads of a worker change is told where others use it") {
    const std::string functions =
        "__device__ void adv(int& q) { q += 1; }\n__device__ int after(int q) { return q + 1; }";
    const auto in_one = [&](const std::string& statement, const std::string& use) {
      return joined(
          joined(with_function(functions),
                 {{kReady, kReady + "  int q = 0;\n  const int* p = queue;\n"}}),
          before(kCommits,
                 "        if (threadIdx.x % 128 == 0) {\n"
                 "          barrier::arrival_token u = empty[stage].arrive();\n          " +
                     statement + "\n        }\n        " + use + "\n"));
    };
    check_edits_told({
        in_one("stage += 1;", ""),
        in_one("adv(q);", "empty[q].wait_parity(0);"),
        in_one("q = after(q);", "empty[q].wait_parity(0);"),
        in_one("int& y = stage;\n          y += 1;", ""),
        in_one("p = queue + 4;", "if (p[0] == 3) __syncthreads();"),
    });
  }

  TEST_CASE("a number of the kernel may be one thread's own") {
    check_lines(joined({{kReady, kReady + "  int q = 0;\n"}},
                       before(kWaits,
                              "          ++q;\n"
                              "          full[q % 3].wait_parity(0);\n")),
                "q += 1\nself.full[q % 3].wait(0)\n");
  }

  TEST_CASE("threads of one worker that wait apart from each other are told") {
    check_edits_told({{{"    if (threadIdx.x == 0) {\n      while",
                        "    if (threadIdx.x == 32) { empty[0].wait(empty[0].arrive()); }\n"
                        "    if (threadIdx.x == 0) {\n      while"}}});
  }

  TEST_CASE("a function that adds to a place is told, and one that keeps it is that place") {
    const std::string smem =
        "__device__ unsigned smem(const void* p) { return (unsigned)__cvta_generic_to_shared(p); "
        "}\n";
    const auto arrives = [](const std::string& address) {
      return "          asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" :: \"r\"(" +
             address + ") : \"memory\");\n";
    };
    check_edits_told({
        joined(with_function("__device__ barrier& get(barrier* f, int s) { return f[s]; }"),
               before(kWaits, "          get(full, stage).wait_parity(0);\n")),
        joined(with_function("__device__ half* at(half* f, int s) { return f + s * BM * BK; }"),
               {{"memory.A + stage * BM * BK, &tmA", "at(memory.A, stage), &tmA"}}),
        joined(with_function(smem +
                             "__device__ unsigned of(barrier* b, int s) { return smem(&b[s]); }"),
               before(kWaits, arrives("of(full, stage)"))),
        joined(with_function("__device__ unsigned long long part(half* b, int off) {"
                             " return ws::wgmma_tile(b + off); }"),
               {{"ws::wgmma_tile(a), ws::wgmma_tile(b)", "part(a, 8), ws::wgmma_tile(b)"}}),
        joined(with_function(smem), joined({{kReady, kReady + "  unsigned a = smem(&full[0]);\n"}},
                                           before(kWaits, arrives("a + 8 * stage")))),
        joined(
            with_function(smem),
            joined({{kReady, kReady + "  unsigned a = smem(&full[0]);\n  a = smem(&empty[1]);\n"}},
                   before(kWaits, arrives("a")))),
    });
    check_lines(joined(with_function(smem), before(kWaits, arrives("smem(&full[stage])"))),
                "self.full[stage].arrive()\n");
  }

  TEST_CASE("pointers that a loop moves in its step are moved each round") {
    const LiftedRing in_step =
        lift_ordered_ring({{"step += 16) {", "step += 16, a += 16, b += 16) {"}, {kMoves, ""}});
    CHECK(in_step.lift["verdict"] == "lifted");
    CHECK(program_lines(in_step) == program_lines(lift_ordered_ring()));
  }

  TEST_CASE("pointers that a loop moves, but not by its rounds, are told") {
    const std::string head = "for (int step = 0; step < BK; step += 16) {";
    check_edits_told({
        {{head, "for (int step = 3; step >= 0; --step) {"}},
        {{head, "for (int step = 16; step > 0; step >>= 1) {"}},
        {{"          a += 16;\n", "          a += 16;\n          if (n == 3) step += 1;\n"}},
    });
  }

  TEST_CASE("a stage that is stepped in a condition is stepped before it") {
    const std::string state =
        "struct State {\n  int stage, phase;\n  __device__ State() { stage = 0; phase = 0; }\n"
        "  __device__ void advance() { if (++stage == STAGES) { stage = 0; phase ^= 1; } }\n};";
    check_lines(joined(joined(with_function(state), {{kReady, kReady + "  State at;\n"}}),
                       before(kWaits,
                              "          full[at.stage].wait_parity(at.phase);\n"
                              "          at.advance();\n")),
                "def State_advance(self, this_stage, this_phase):\nthis_stage += 1\n"
                "if this_stage == 3:\nthis_stage = 0\nthis_phase ^= 1\n"
                "return (this_stage, this_phase)\n");
    const std::string waits =
        "\n__device__ void wait(barrier* b, const State& s) { b[s.stage].wait_parity(s.phase); }";
    check_lines(joined(joined(with_function(state + waits), {{kReady, kReady + "  State at;\n"}}),
                       before(kWaits, "          wait(full, at);\n          at.advance();\n")),
                "self.full[at_stage].wait(at_phase != 0)\n");
    check_lines(joined({{kReady, kReady + "  int q = 0;\n"}},
                       before(kWaits,
                              "          if (++q == STAGES) { q = 0; full[1].wait_parity(1); }\n"
                              "          full[q].wait_parity(0);\n")),
                "q += 1\nif q == 3:\nq = 0\nself.full[1].wait(1)\nself.full[q].wait(0)\n");
  }

  TEST_CASE("a stage may be stepped by an operator, or in a comma") {
    const std::string state =
        "struct State {\n  int stage, phase;\n  __device__ State() { stage = 0; phase = 0; }\n"
        "  __device__ State& operator++() {\n    ++stage;\n"
        "    if (stage == STAGES) { stage = 0; phase ^= 1; }\n    return *this;\n  }\n};";
    check_lines(
        joined(
            joined(with_function(state), {{kReady, kReady + "  State at;\n"}}),
            before(kWaits, "          full[at.stage].wait_parity(at.phase);\n          ++at;\n")),
        "(at_stage, at_phase) = self.State_operator_step(at_stage, at_phase)\n");
    check_lines(joined({{kReady, kReady + "  int q = 0, p = 0;\n"}},
                       before(kWaits,
                              "          full[q].wait_parity(p);\n"
                              "          if (++q == STAGES) q = 0, p ^= 1;\n")),
                "q += 1\nif q == 3:\nq = 0\np ^= 1\n");
  }

  TEST_CASE("arrays that an object in memory shares a name or an index with are told") {
    const std::string laid = "  Memory& memory = *reinterpret_cast<Memory*>(bytes);\n";
    const std::string memory = "struct Memory {";
    const auto shared = [&](const std::string& type, const std::string& variables) {
      return Edits{{memory, type + "\n" + memory},
                   {laid, laid + "  __shared__ " + variables + ";\n"}};
    };
    const std::string pair = "struct Pair { barrier one, other; };";
    const std::string four = "struct Four { int four[4]; };";
    check_edits_told({
        joined(shared(pair, "Pair pairs[STAGES]"),
               before(kWaits, "          pairs[stage].one.wait_parity(0);\n")),
        joined(shared(pair, "Pair first, second"),
               before(kWaits, "          first.one.wait_parity(0);\n")),
        joined(shared(four + " struct Two { Four a, b; };", "Two two"),
               before(kWaits,
                      "          if (two.a.four[1] == two.b.four[1]) full[0].wait_parity(0);\n")),
        joined(shared("struct Four { int queue[4]; };", "Four four"),
               before(kWaits, "          if (four.queue[1] == 3) full[0].wait_parity(0);\n")),
    });
    const std::string fence = "    cde::fence_proxy_async_shared_cta();\n";
    check_lines(
        joined(joined(shared(pair, "Pair only"), before(fence, "    init(&only.one, 1);\n")),
               before(kWaits, "          only.one.wait_parity(0);\n")),
        "self.one.wait(0)\n");
  }

  TEST_CASE("a barrier of several has one index, whatever it is reached by") {
    const std::string arrays = "  __shared__ barrier full[STAGES], empty[STAGES];\n";
    const std::string fence = "    cde::fence_proxy_async_shared_cta();\n";
    check_lines(joined(joined({{arrays, arrays + "  __shared__ barrier b[STAGES][2];\n"}},
                              before(fence,
                                     "    for (int i = 0; i < STAGES; ++i) {\n"
                                     "      init(&b[i][0], 1);\n      init(&b[i][1], 1);\n"
                                     "    }\n")),
                       before(kWaits, "          b[stage][1].wait_parity(0);\n")),
                "self.b[stage * 2 + 1].wait(0)\n");
    const std::string both =
        "  __shared__ barrier full[2 * STAGES];\n  barrier* empty = full + STAGES;\n";
    check_lines({{arrays, both}}, "phase = self.full[stage + 3].arrive()\n");
    check_edits_told(
        {{{arrays, both}, {"init(&empty[i], CONSUMERS + 1);", "init(&empty[i], 1);"}}});
  }

  TEST_CASE("objects in an array are told") {
    check_edits_told(
        {joined(with_function("struct State { int stage; __device__ State() { stage = 0; }\n"
                              "  __device__ void advance() { stage += 1; } };"),
                joined({{kReady, kReady + "  State both[2];\n"}},
                       before(kWaits,
                              "          both[0].advance();\n"
                              "          full[both[0].stage].wait_parity(0);\n")))});
  }

  TEST_CASE("pointers in an object are those of the object") {
    check_lines(
        joined(
            with_function("struct Pair {\n  barrier *full, *empty;\n"
                          "  __device__ Pair(barrier* f, barrier* e) { full = f; empty = e; }\n};\n"
                          "__device__ void wait(Pair& p, int s) { p.full[s].wait_parity(0); }"),
            joined({{kReady, kReady + "  Pair p(empty, full);\n"}},
                   before(kWaits, "          wait(p, stage);\n"))),
        "self.empty[stage].wait(0)\n");
  }
}

}  // namespace ws::test
