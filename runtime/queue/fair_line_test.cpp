#include "runtime/queue/fair_line.h"

#include <string>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("queue.fair_line") {
  const Caller kAnn{"ann"};
  const Caller kBob{"bob"};
  const Caller kBatch{"ann", true};

  /// Items are named by their caller; each is taken and charged before the next is.
  std::string taken(FairLine<std::string> & line, std::size_t count,
                    const std::map<std::string, std::pair<Caller, double>>& costs) {
    std::string all;
    for (std::size_t i = 0; i < count && !line.empty(); ++i) {
      const std::string item = line.take();
      const auto& [caller, ms] = costs.at(item);
      line.charge(caller, ms);
      all += item;
    }
    return all;
  }

  FairLine<std::string> line_of(const std::vector<std::pair<Caller, std::string>>& items) {
    FairLine<std::string> line;
    for (const auto& [caller, item] : items) {
      line.add(caller, item);
    }
    return line;
  }

  TEST_CASE("callers share by the time that their work takes, not by its pieces") {
    struct Row {
      const char* name;
      double ann_ms;
      double bob_ms;
      const char* want;
    };

    const Row rows[] = {
        {"equal work takes turns", 1, 1, "abababaa"},
        {"three short for a long one", 1, 3, "abaaabab"},
        {"nothing costs nothing", 0, 1, "aaaaabbb"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      auto line = line_of({{kAnn, "a"},
                           {kAnn, "a"},
                           {kAnn, "a"},
                           {kAnn, "a"},
                           {kAnn, "a"},
                           {kBob, "b"},
                           {kBob, "b"},
                           {kBob, "b"}});
      CHECK(taken(line, 8, {{"a", {kAnn, row.ann_ms}}, {"b", {kBob, row.bob_ms}}}) == row.want);
      CHECK(line.empty());
    }
  }

  TEST_CASE("principals share alike, however many names the clients of one make up") {
    FairLine<std::string> line;
    const Caller bob{"@bob 10.0.0.8"};
    std::map<std::string, Caller> callers = {{"b", bob}};
    for (int i = 0; i < 9; ++i) {
      const std::string name(1, static_cast<char>('0' + i));
      callers[name] = Caller{"@ann 10.0.0.7 made up " + name};
      line.add(callers[name], name);
    }
    for (int i = 0; i < 6; ++i) {
      line.add(bob, "b");
    }
    std::string foretold;
    for (const std::string& item : line.order([](const auto& /*item*/) { return 1; })) {
      foretold += item;
    }
    std::string all;
    while (!line.empty()) {
      const std::string item = line.take();
      line.charge(callers.at(item), 1);
      all += item;
    }
    CHECK(all == "0b1b2b3b4b5b678");
    CHECK(foretold == all);
  }

  TEST_CASE("the clients of one principal share what it has alike") {
    const std::map<std::string, std::pair<Caller, double>> costs = {
        {"a", {{"@p ann"}, 1}}, {"b", {{"@p bob"}, 1}}, {"c", {{"@q carl"}, 1}}};
    auto line = line_of({{{"@p ann"}, "a"},
                         {{"@p ann"}, "a"},
                         {{"@p ann"}, "a"},
                         {{"@p bob"}, "b"},
                         {{"@p bob"}, "b"},
                         {{"@q carl"}, "c"},
                         {{"@q carl"}, "c"},
                         {{"@q carl"}, "c"},
                         {{"@q carl"}, "c"}});
    CHECK(line.count("@p ann") == 3);
    CHECK(line.count_of_principal("p") == 5);
    CHECK(line.count_of_principal("nobody") == 0);
    CHECK(taken(line, 9, costs) == "acbcacbca");
    CHECK(line.empty());
  }

  TEST_CASE("a caller that comes back is next after what runs, and keeps no old arrears") {
    auto line = line_of({{kAnn, "a"}, {kAnn, "a"}, {kAnn, "a"}, {kAnn, "a"}});
    const std::map<std::string, std::pair<Caller, double>> costs = {{"a", {kAnn, 10}},
                                                                    {"b", {kBob, 10}}};
    CHECK(taken(line, 2, costs) == "aa");
    CHECK(line.take() == "a");
    line.add(kBob, "b");
    line.add(kBob, "b");
    line.charge(kAnn, 10);
    // Not both of Bob's: what Ann had while he was away is hers.
    CHECK(taken(line, 3, costs) == "bab");
  }

  TEST_CASE("the background gets a sixth beside the foreground, and all of it alone") {
    std::vector<std::pair<Caller, std::string>> items;
    for (int i = 0; i < 20; ++i) {
      items.emplace_back(kBatch, "-");
      items.emplace_back(kBob, "b");
    }
    auto line = line_of(items);
    CHECK(taken(line, 40, {{"-", {kBatch, 1}}, {"b", {kBob, 1}}}) ==
          "b-bbbbb-bbbbb-bbbbb-bbbb----------------");
  }

  TEST_CASE("when nothing waits or runs the past is forgotten, and not before") {
    const std::map<std::string, std::pair<Caller, double>> costs = {{"a", {kAnn, 50}},
                                                                    {"b", {kBob, 1}}};
    auto line = line_of({{kAnn, "a"}});
    CHECK(taken(line, 1, costs) == "a");
    line.add(kBob, "b");
    line.add(kBob, "b");
    line.add(kAnn, "a");
    CHECK(taken(line, 3, costs) == "bab");
    line.add(kBob, "b");
    CHECK(line.take() == "b");
    line.add(kAnn, "a");
    line.charge(kBob, 100);  // It ran while Ann's came: that counts.
    line.add(kBob, "b");
    CHECK(taken(line, 2, costs) == "ab");
  }

  TEST_CASE("the predicted order is the real one") {
    const std::map<std::string, std::pair<Caller, double>> costs = {
        {"a", {kAnn, 3}}, {"b", {kBob, 2}}, {"-", {kBatch, 1}}};
    auto line = line_of({{kBatch, "-"},
                         {kAnn, "a"},
                         {kAnn, "a"},
                         {kBob, "b"},
                         {kBob, "b"},
                         {kBatch, "-"},
                         {kBob, "b"}});
    std::string foretold;
    for (const std::string& item :
         line.order([&](const auto& at) { return costs.at(at).second; })) {
      foretold += item;
    }
    CHECK(taken(line, 7, costs) == foretold);
    CHECK(foretold == "ab-bab-");
    FairLine<int> many;
    const auto caller_of = [](int item) {
      return Caller{client_key("p" + std::to_string(item % 7), std::to_string(item % 40)),
                    item % 3 == 0};
    };
    for (int i = 0; i < 400; ++i) {
      many.add(caller_of(i), i);
    }
    for (const int item : many.order([](int at) { return at % 7; })) {
      REQUIRE(many.take() == item);
      many.charge(caller_of(item), item % 7);
    }
    CHECK(many.empty());
  }

  TEST_CASE("the order of many clients with many jobs is predicted within the time of a call") {
    FairLine<int> line;
    for (int i = 0; i < 16'000; ++i) {
      line.add({std::to_string(i % 4'000), i % 3 == 0}, i);
    }
    const auto start = Clock::now();
    CHECK(line.order([](int item) { return item % 7; }).size() == 16'000);
    CHECK(Clock::now() - start < std::chrono::milliseconds(200));
  }

  TEST_CASE("what is removed is not taken, and a client's are counted in both urgencies") {
    auto line = line_of({{kAnn, "a"}, {kBatch, "-"}, {kBob, "b"}});
    CHECK(line.count("ann") == 2);
    CHECK(line.size() == 3);
    CHECK(line.remove("a"));
    CHECK_FALSE(line.remove("a"));
    CHECK(line.count("ann") == 1);
    CHECK(line.take() == "b");
    CHECK(line.take() == "-");
    CHECK(line.empty());
  }
}

}  // namespace ws
