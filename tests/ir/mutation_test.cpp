// Programs changed at random: whatever comes, the answer is a report or an error with its place.
#include <cctype>

#include <doctest/doctest.h>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "tests/ir/corpus.h"

namespace ws::ir {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
    const bool joins = letter && !words.empty() && words.back().size() < 30 &&
                       (words.back().back() == '_' || std::isalnum(words.back().back()) != 0);
    if (joins) {
      words.back() += c;
    } else {
      words.emplace_back(1, c);
    }
  }
  return words;
}

// Drops, doubles, swaps or replaces a few words by others of the same program.
std::string mutate(const std::string& text, std::uint64_t& random) {
  std::vector<std::string> words = words_of(text);
  constexpr std::uint64_t most = 2;
  for (std::uint64_t i = next_random(random) % most + 1; i > 0; --i) {
    std::string& word = words[next_random(random) % words.size()];
    const std::string& other = words[next_random(random) % words.size()];
    switch (next_random(random) % 6) {
      case 0:
        word.clear();
        break;
      case 1:
        word += other;
        break;
      case 2:
        word = std::to_string(next_random(random) % 70);
        break;
      case 3:
        word = std::string(1, static_cast<char>(next_random(random)));
        break;
      default:
        word = other;
    }
  }
  std::string result;
  for (const std::string& word : words) {
    result += word;
  }
  return result;
}

TEST_SUITE("ir.mutations") {
  TEST_CASE("what parses prints to a fixed point, however it came about") {
    std::uint64_t random = 1;
    std::size_t parsed = 0;
    for (int round = 0; round < 800; ++round) {
      for (const std::string& name : base_names()) {
        const std::string text = mutate(base_text(name), random);
        if (const Result<Program> program = parse_program(text)) {
          const std::string once = print(*program);
          const Result<Program> again = parse_program(once);
          INFO(text);
          REQUIRE_MESSAGE(again, again.error().hint);
          CHECK(print(*again) == once);
          ++parsed;
        }
      }
    }
    CHECK(parsed > 800);
  }

  TEST_CASE("a program changed at random is compared with what it was, both ways") {
    std::uint64_t random = 3;
    std::size_t broken = 0;
    for (int round = 0; round < 100; ++round) {
      for (const std::string& name : base_names()) {
        const Result<Program> base = parse_program(base_text(name));
        const Result<Program> changed = parse_program(mutate(base_text(name), random));
        if (!base || !changed) {
          continue;
        }
        const Result<ProgramDiff> there = diff_programs(*base, *changed);
        const Result<ProgramDiff> back = diff_programs(*changed, *base);
        REQUIRE(there);
        REQUIRE(back);
        const bool same = print(*base) == print(*changed);
        CHECK((!same || (there->windows.empty() && there->orchestration_kept)));
        for (const Breach& breach : there->breaches) {
          CHECK(breach.source.line + breach.target.line > 0);
        }
        broken += there->orchestration_kept ? 0U : 1U;
      }
    }
    CHECK(broken > 20);
  }

  TEST_CASE("a program changed at random runs, or is refused with a reason") {
    std::uint64_t random = 2;
    std::size_t ran = 0;
    std::size_t found = 0;
    RunOptions options;
    options.max_steps = 2000;
    options.threads = 1;
    options.schedules.resize(2);
    for (int round = 0; round < 600; ++round) {
      for (const std::string& name : base_names()) {
        const std::string base = base_text(name);
        const std::string text = mutate(base, random);
        const Result<Program> program = parse_program(text);
        const Result<RunReport> report =
            program ? run_program(*program, arguments_of(base), {}, options)
                    : Result<RunReport>(fail(program.error()));
        if (!report) {
          CHECK_FALSE(report.error().message.empty());
          continue;
        }
        ++ran;
        found += report->findings.empty() ? 0U : 1U;
      }
    }
    CHECK(ran > 100);
    CHECK(found > 20);
  }
}

}  // namespace
}  // namespace ws::ir
