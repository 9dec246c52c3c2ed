// A page for tests, without a connection.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "server/page/page.h"

namespace ws::server {

/// A page about an archive with a few kernels, one of a hostile author.
struct PageBench {
  PageBench() {
    auto opened = Page::open(filled.archive(), filled.folder().path(), {});
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    page = *std::move(opened);
  }

  [[nodiscard]] HttpReply get(const std::string& target, const std::string& tag = {}) const {
    HttpHead head{.method = "GET", .path = target.substr(0, target.find('?'))};
    head.query = target.substr(std::min(head.path.size() + 1, target.size()));
    if (!tag.empty()) {
      head.headers.emplace_back("if-none-match", tag);
    }
    return page->reply(head);
  }

  [[nodiscard]] Json data(const std::string& target) const {
    const HttpReply reply = get("/page/data/" + target);
    CHECK(reply.status == 200);
    return Json::parse(reply.body);
  }

  test::Filled filled;
  std::unique_ptr<Page> page;
};

}  // namespace ws::server
