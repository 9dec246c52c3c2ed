// Refs: branches, which move, and checkpoints, which do not.
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

/// ^[a-z0-9_.-]{1,64}@[a-z0-9_.-]{1,64}$
bool is_ref(const std::string& text) {
  constexpr std::size_t kMaxPart = 64;
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part.size() <= kMaxPart &&
           part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") ==
               std::string_view::npos;
  };
  const std::size_t at = text.find('@');
  return at != std::string::npos && is_part(std::string_view(text).substr(0, at)) &&
         is_part(std::string_view(text).substr(at + 1));
}

RefRow read_ref(const Statement& row) {
  return {.name = row.text(0),
          .kernel_id = row.text(1),
          .fixed = row.integer(2) != 0,
          .updated_at = row.text(3),
          .imported = false};
}

/// @param stored  Its name in the table.
Result<std::optional<RefRow>> find_ref(Connection& connection, const std::string& stored) {
  WS_TRY(Statement row,
         connection.prepare("SELECT name, kernel_id, fixed, updated_at FROM refs WHERE name = ?" +
                            and_seen("refs.kernel_id")));
  WS_TRY(const bool found, row.bind(stored).step());
  return found ? std::optional<RefRow>(read_ref(row)) : std::nullopt;
}

/// The viewer's own ref of a name, else the one that all share.
Result<std::optional<RefRow>> find_named(Connection& connection, const std::string& name) {
  if (name.find(':') != std::string::npos && !current_viewer().sees_all) {
    return std::optional<RefRow>();  // It would be another's.
  }
  if (const std::string own = own_ref(name); own != name) {
    WS_TRY(const std::optional<RefRow> found, find_ref(connection, own));
    if (found) {
      return found;
    }
  }
  return find_ref(connection, name);
}

/// Whether a ref that all share has the name, and points at a kernel that the viewer does not see.
Result<bool> is_hidden(Connection& connection, const std::string& name) {
  WS_TRY(const std::optional<RefRow> seen, find_ref(connection, name));
  WS_TRY(Statement row, connection.prepare("SELECT 1 FROM refs WHERE name = ?"));
  WS_TRY(const bool found, row.bind(name).step());
  return found && !seen && own_ref(name) == name;
}

tl::unexpected<Error> not_own(const std::string& name) {
  return fail(ErrorCode::kConflict, "the ref `" + name + "` belongs to another principal",
              "choose another name");
}

/// Checks that a ref may have the name and point at the kernel.
Status check_ref(Connection& connection, const std::string& name, const std::string& kernel_id) {
  if (!is_ref(name)) {
    return fail(ErrorCode::kInvalidArgument, "`" + name + "` is not a ref",
                "write name@branch with lower-case letters, digits and _ . -");
  }
  return require_kernel(connection, kernel_id);
}

/// Writes the row, and the label by whose words search finds the kernel that it points at now.
/// @param before  Where it pointed, if it was there.
Status write_ref(Connection& connection, const RefRow& ref, const std::optional<RefRow>& before) {
  WS_TRY(Statement statement,
         connection.prepare(current_viewer().lease
                                ? "SELECT node_set_ref(?, ?, ?, ?)"
                                : "INSERT INTO refs(name, kernel_id, fixed, updated_at) "
                                  "VALUES(?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "
                                  "kernel_id = excluded.kernel_id, updated_at = "
                                  "excluded.updated_at"));
  statement.bind(ref.name).bind(ref.kernel_id).bind(std::int64_t{ref.fixed ? 1 : 0});
  WS_TRY(const bool row, statement.bind(timestamp_now()).step());
  if (row && statement.integer(0) == 0) {  // The role of a node does not see it.
    return not_own(shown_ref(ref.name));
  }
  if (!before) {
    WS_CHECK(claim_new(connection, ref.name, counted_bytes({})));
  }
  if (before && before->kernel_id != ref.kernel_id) {
    WS_CHECK(remove_label(connection, {before->kernel_id, "ref", ref.name}));
  }
  return put_label(connection, {ref.kernel_id, "ref", ref.name, ref.imported});
}

}  // namespace

Status set_ref(Connection& connection, const std::string& name, const std::string& kernel_id,
               const std::optional<std::string>& expect, bool imported) {
  WS_CHECK(check_ref(connection, name, kernel_id));
  WS_TRY(const std::optional<RefRow> now, find_named(connection, name));
  if (expect && *expect != (now ? now->kernel_id : "")) {
    return fail(ErrorCode::kConflict,
                "ref `" + name + "` " +
                    (now ? "points at " + now->kernel_id : std::string("does not exist")) +
                    ", not at " + (expect->empty() ? "nothing" : *expect),
                "look at what it points at now, then send that as `expect_ref`");
  }
  if (now && now->fixed && now->kernel_id != kernel_id) {
    return fail(ErrorCode::kConflict,
                "`" + name + "` is a checkpoint of " + now->kernel_id + " and never moves",
                "choose another name");
  }
  // In the place of a ref that all share, a viewer that does not share gets one of its own.
  const std::string stored = own_ref(name);
  WS_TRY(const bool allowed, may_move(connection, stored));
  WS_TRY(const bool hidden, is_hidden(connection, name));
  if (!allowed || hidden) {
    return not_own(name);
  }
  return write_ref(connection,
                   {.name = stored,
                    .kernel_id = kernel_id,
                    .fixed = false,
                    .updated_at = {},
                    .imported = imported},
                   now && now->name == stored ? now : std::nullopt);
}

Status add_ref(Connection& connection, const RefRow& ref) {
  WS_CHECK(check_ref(connection, ref.name, ref.kernel_id));
  WS_TRY(const std::optional<RefRow> now, find_named(connection, ref.name));
  if (now) {
    return fail(ErrorCode::kConflict, "`" + ref.name + "` exists and points at " + now->kernel_id,
                "choose another name");
  }
  WS_TRY(const bool hidden, is_hidden(connection, ref.name));
  if (hidden) {
    return not_own(ref.name);
  }
  RefRow stored = ref;
  stored.name = own_ref(ref.name);
  return write_ref(connection, stored, now);
}

Result<std::string> ref(Connection& connection, const std::string& name) {
  WS_TRY(const std::optional<RefRow> found, find_named(connection, name));
  if (!found) {
    return fail(ErrorCode::kNotFound, "no ref `" + name + "`",
                "a ref is made by compile_kernel with `ref`");
  }
  return found->kernel_id;
}

Result<std::vector<RefRow>> refs(Connection& connection, const std::string& kernel_id, int limit) {
  const std::string own =
      current_viewer().sees_all
          ? std::string()
          : " AND (instr(name, ':') = 0 OR (instr(name, viewer() || ':') = 1 AND "
            "instr(substr(name, length(viewer()) + 2), ':') = 0))";
  WS_TRY(Statement row, connection.prepare("SELECT name, kernel_id, fixed, updated_at FROM refs "
                                           "WHERE (?1 = '' OR kernel_id = ?1)" +
                                           own + and_seen("refs.kernel_id") +
                                           " ORDER BY updated_at DESC, name LIMIT ?2"));
  WS_TRY(std::vector<RefRow> found,
         read_rows(row.bind(kernel_id).bind(std::int64_t{limit}), read_ref));
  for (RefRow& each : found) {
    each.name = shown_ref(each.name);
  }
  return found;
}

}  // namespace ws::store
