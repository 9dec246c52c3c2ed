// The rows that the role of a node adds are noted by triggers. By these notes `node_own` knows a
// row of the same transaction from one that was there, or that nobody has made yet.
#include "runtime/archive/store/postgres_nodes.h"

namespace ws {

// A node chooses the ids of problems and kernels and the names of refs, which are owned in one
// table with all else: a row is noted only if its id could be no other table's. Refs alone have an
// `@`.
const char* const kNewRowFunction = R"sql(
  CREATE OR REPLACE FUNCTION note_new_row() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = warpsmith, pg_temp AS $$
  DECLARE
    new_id text;
  BEGIN
    IF TG_TABLE_NAME = 'problems' THEN
      new_id := CASE WHEN new.id LIKE 'prb\_%' AND strpos(new.id, '@') = 0 THEN new.id END;
    ELSIF TG_TABLE_NAME = 'kernels' THEN
      new_id := CASE WHEN new.id LIKE 'krn\_%' AND strpos(new.id, '@') = 0 THEN new.id END;
    ELSIF TG_TABLE_NAME = 'refs' THEN
      new_id := CASE WHEN strpos(new.name, '@') > 0 THEN new.name END;
    ELSE
      new_id := TG_ARGV[0] || new.seq;
    END IF;
    IF new_id IS NULL THEN
      RETURN NULL;
    END IF;
    INSERT INTO node_new_rows(id, added_by) VALUES(new_id, pg_current_xact_id())
      ON CONFLICT(id) DO UPDATE SET added_by = excluded.added_by;
    RETURN NULL;
  END $$;
  REVOKE EXECUTE ON FUNCTION note_new_row() FROM PUBLIC;
)sql";

// A transaction's number proves it: whoever changes a row, as a node may with some columns, changes
// the row's own number too. The owner of the tables, who adds most rows, needs no notes.
const char* const kNewRows = R"sql(
  CREATE UNLOGGED TABLE node_new_rows (id TEXT PRIMARY KEY, added_by XID8 NOT NULL);
  DO $$
  DECLARE
    each record;
  BEGIN
    FOR each IN SELECT * FROM (VALUES ('problems', ''), ('kernels', ''), ('refs', ''),
        ('labels', 'lbl_'), ('pass_tries', 'try_'), ('series', 'ser_')) t(name, prefix) LOOP
      EXECUTE format('CREATE TRIGGER row_added AFTER INSERT ON %I FOR EACH ROW '
        'WHEN (session_user <> %L) EXECUTE FUNCTION note_new_row(%L)',
        each.name, current_user, each.prefix);
    END LOOP;
  END $$;
)sql";

}  // namespace ws
