// The chart is well-formed XML, bounded, and shows its input.
#include "runtime/lineage/speedup_chart.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws {
namespace {

/// Whether every tag is closed by its own name, with nothing but known entities and no loose marks.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
        known = known || xml.compare(at, std::string(entity).size(), entity) == 0;
      }
      if (!known) {
        return false;
      }
    }
    if (xml[at] == '>') {
      return false;  // Those of tags are passed over below.
    }
    if (xml[at] != '<') {
      continue;
    }
    const std::size_t end = xml.find('>', at);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (end == std::string::npos || tag.find('<') != std::string::npos) {
      return false;
    }
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != tag) {
        return false;
      }
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  return open.empty();
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_SUITE("common.speedup_chart") {
  TEST_CASE("each measured value has a bar and its number") {
    const std::string svg =
        speedup_chart("a title", {{"first", 2.0, 2.0}, {"second", 8.0, 4.0}, {"third", 4.0, 0.5}});
    CHECK(well_formed(svg));
    CHECK(count_of(svg, "<rect") == 1 + 6);
    for (const char* shown : {">a title<", ">first<", ">third<", ">8.00x<", ">0.50x<"}) {
      CAPTURE(shown);
      CHECK(svg.find(shown) != std::string::npos);
    }
  }

  TEST_CASE("what was not measured, or is no ratio, has none") {
    const double infinite = std::numeric_limits<double>::infinity();
    const std::string svg = speedup_chart(
        "t", {{"a", {}, {}}, {"b", infinite, -1.0}, {"c", std::nan(""), 0.0}, {"d", 3.0, {}}});
    CHECK(well_formed(svg));
    CHECK(count_of(svg, "<rect") == 2);
    CHECK(count_of(svg, "inf") + count_of(svg, "nan") == 0);
  }

  TEST_CASE("labels cannot break out of their places") {
    const std::string svg =
        speedup_chart("</text><script>alert(1)</script>\x01", {{"a\"&<b>\xff\n", 1.0, 1.0}});
    CHECK(well_formed(svg));
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(svg.find("a&quot;&amp;&lt;b&gt;? <") != std::string::npos);
    CHECK(svg.find('\x01') == std::string::npos);
  }

  TEST_CASE("it is bounded, and says what it left out") {
    const std::vector<SpeedupPoint> many(5000, {std::string(100000, 'x'), 1e300, 1e-300});
    const std::string svg = speedup_chart(std::string(100000, 'y'), many);
    CHECK(well_formed(svg));
    CHECK(svg.size() < 40000);
    CHECK(svg.find(">4940 more steps<") != std::string::npos);
    CHECK(well_formed(speedup_chart("", {})));
  }
}

}  // namespace ws
