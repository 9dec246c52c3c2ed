#include "runtime/base/work_owner.h"

#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.work_owner") {
  TEST_CASE("work of one client has one tag, that of nobody another one each time") {
    const std::string ann = "@ci 10.0.0.7 ann";
    const std::string bob = "@ci 10.0.0.7 bob";
    CHECK(owner_tag().size() == kOwnerDigits);
    CHECK(owner_tag() != owner_tag());
    const OwnerScope first(ann);
    const std::string tag = owner_tag();
    CHECK(owner_tag() == tag);
    {
      const OwnerScope second(bob);
      CHECK(owner_tag() != tag);
      CHECK(owner_tag() == owner_tag());
    }
    CHECK(owner_tag() == tag);
    std::string elsewhere;
    std::thread([&elsewhere] { elsewhere = owner_tag(); }).join();
    CHECK(elsewhere != tag);
  }
}

}  // namespace ws
