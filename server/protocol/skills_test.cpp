#include "server/protocol/skills.h"

#include <doctest/doctest.h>

#include "server/protocol/message.h"

namespace ws::server {
namespace {

constexpr const char* kTiles =
    "---\nname: tile\ndescription: Tiles a kernel, shared memory first.\n---\n\n# Tile\n";

SkillShelf two_skills() {
  Skill tile = *skill_of(kTiles);
  tile.alias = "tile_it";
  tile.files.push_back({"references/a.md", "text/markdown", "a"});
  tile.files.push_back({"references/b.txt", "text/plain", "b"});
  return SkillShelf({tile, *skill_of("---\nname: s\ndescription: d\n---\n")});
}

}  // namespace

TEST_SUITE("protocol.skills") {
  TEST_CASE("a skill is what the front matter of its file says") {
    const auto skill = skill_of(kTiles);
    REQUIRE(skill);
    CHECK(skill->name == "tile");
    CHECK(skill->description == "Tiles a kernel, shared memory first.");
    REQUIRE(skill->files.size() == 1);
    CHECK(skill->files[0].text == kTiles);
    CHECK_FALSE(skill_of("# Tile\n"));
    CHECK_FALSE(skill_of("---\nname: tile\ndescription: d\n"));
    CHECK_FALSE(skill_of("---\nname: tile\n---\n"));
    CHECK_FALSE(skill_of("---\nname: tile\ndescription: in steps: one, two\n---\n"));
    CHECK_FALSE(skill_of("---\nname: tile\ndescription: tiles # quickly\n---\n"));
    CHECK_FALSE(skill_of("---\nname: tile\ndescription: [tiles]\n---\n"));
  }

  TEST_CASE("an entry has every file once, with its digest and size") {
    const OrderedJson entries = two_skills().entries();
    REQUIRE(entries.size() == 2);
    CHECK(
        to_line(entries[0]) ==
        R"({"uri":"skill://tile/SKILL.md","frontmatter":{"name":"tile",)"
        R"("description":"Tiles a kernel, shared memory first."},"resources":[)"
        R"({"uri":"skill://tile/SKILL.md","digest":)"
        R"("sha256:58b595080f5a9ecdfeff0b6807113080e85ec30a9d297cb38fdb90fbecdc7493","size":77},)"
        R"({"uri":"skill://tile/references/a.md","digest":)"
        R"("sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb","size":1},)"
        R"({"uri":"skill://tile/references/b.txt","digest":)"
        R"("sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d","size":1}]})");
    CHECK(two_skills().entry("skill://tile/SKILL.md") == entries[0]);
    CHECK(two_skills().entry("skill://tile").is_null());
    CHECK(two_skills().entry("skill://tile/references/a.md").is_null());
  }

  TEST_CASE("each file has its address, SKILL.md also those of its skill") {
    const SkillShelf shelf = two_skills();
    for (const char* uri : {"skill://tile/SKILL.md", "skill://tile", "skill://tile_it"}) {
      const auto file = shelf.file(uri);
      REQUIRE(file);
      CHECK(file->uri == uri);
      CHECK(file->mime_type == "text/markdown");
      CHECK(file->text == kTiles);
    }
    CHECK(shelf.file("skill://tile/references/b.txt")->text == "b");
    for (const char* uri : {"skill://", "skill://tile/", "skill://tile/references", "tile",
                            "skill://tile/../s/SKILL.md", "kernel://tile"}) {
      CAPTURE(uri);
      CHECK_FALSE(shelf.file(uri));
    }
  }

  TEST_CASE("a folder lists what is directly in it") {
    const SkillShelf shelf = two_skills();
    CHECK(to_line(shelf.directory("skill://tile")) ==
          R"([{"uri":"skill://tile/SKILL.md","name":"SKILL.md","mimeType":"text/markdown"},)"
          R"({"uri":"skill://tile/references","name":"references","mimeType":"inode/directory"}])");
    CHECK(to_line(shelf.directory("skill://tile/references")) ==
          R"([{"uri":"skill://tile/references/a.md","name":"a.md","mimeType":"text/markdown"},)"
          R"({"uri":"skill://tile/references/b.txt","name":"b.txt","mimeType":"text/plain"}])");
    for (const char* uri :
         {"skill://tile/SKILL.md", "skill://til", "skill://tile/", "skill:/", ""}) {
      CAPTURE(uri);
      CHECK(shelf.directory(uri).is_null());
    }
  }
}

}  // namespace ws::server
