// The dashboard for Grafana asks for nothing that the server does not have.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/base/metrics.h"
#include "tests/support/golden.h"

namespace ws {
namespace {

using Json = nlohmann::json;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The metric of a series that a query names; null: there is none.
const MetricSpec* metric_of(std::string name) {
  for (const char* suffix : {"", "_bucket", "_sum", "_count"}) {
    for (const MetricSpec& spec : metric_specs()) {
      const bool histogram = spec.kind == MetricKind::kHistogram;
      if (name == std::string(spec.name) + suffix && histogram == (*suffix != '\0')) {
        return &spec;
      }
    }
  }
  return nullptr;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_name) -
        text.begin());
    if (end > at) {
      words.insert(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return words;
}

/// The names in "by (...)" and before "=" or "!" inside of braces.
std::set<std::string> labels_in(const std::string& query) {
  std::set<std::string> labels;
  for (std::size_t at = 0; (at = query.find("by (", at)) != std::string::npos; ++at) {
    labels.merge(words_of(query.substr(at + 4, query.find(')', at) - at - 4)));
  }
  for (std::size_t at = 0; (at = query.find_first_of("=!", at)) != std::string::npos; at += 2) {
    std::size_t start = at;
    while (start > 0 && is_name(query[start - 1])) {
      --start;
    }
    labels.insert(query.substr(start, at - start));
  }
  return labels;
}

}  // namespace

TEST_SUITE("operate.dashboard") {
  TEST_CASE("its queries name metrics and labels that exist") {
    const auto file = read_file(source_dir() / "docker" / "grafana-dashboard.json");
    REQUIRE(file.has_value());
    const Json board = Json::parse(*file, nullptr, false);
    REQUIRE(board.is_object());
    std::set<std::string> shown;
    for (const Json& panel : board["panels"]) {
      for (const Json& target : panel["targets"]) {
        const std::string query = target["expr"];
        CAPTURE(query);
        // Prometheus itself adds these two.
        std::set<std::string> known = {"instance", "job", "le"};
        for (const std::string& word : words_of(query)) {
          if (word.starts_with("warpsmith_") || word.starts_with("process_")) {
            const MetricSpec* const spec = metric_of(word);
            REQUIRE_MESSAGE(spec != nullptr, word);
            shown.insert(std::string(spec->name));
            known.merge(words_of(std::string(spec->labels)));
          }
        }
        for (const std::string& label : labels_in(query)) {
          CHECK_MESSAGE(known.contains(label), label);
        }
        const std::string legend = target["legendFormat"];
        for (std::size_t at = 0; (at = legend.find("{{", at)) != std::string::npos; ++at) {
          const std::string label = legend.substr(at + 2, legend.find("}}", at) - at - 2);
          CHECK_MESSAGE(known.contains(label), label);
        }
      }
    }
    CHECK(shown.size() > 15);
  }
}

}  // namespace ws
