// Which rows the role of a node sees: those that all share, and those of the principals whose jobs
// the node does now. Whoever may write the tables, as their owner, sees all of them.
#include "runtime/archive/store/postgres_nodes.h"

namespace ws {

const char* const kRowSecurity = R"sql(
  ALTER TABLE problems ENABLE ROW LEVEL SECURITY;
  ALTER TABLE kernels ENABLE ROW LEVEL SECURITY;
  ALTER TABLE evidence ENABLE ROW LEVEL SECURITY;
  ALTER TABLE refs ENABLE ROW LEVEL SECURITY;
  ALTER TABLE labels ENABLE ROW LEVEL SECURITY;
  ALTER TABLE claims ENABLE ROW LEVEL SECURITY;
  ALTER TABLE pass_tries ENABLE ROW LEVEL SECURITY;
  ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
  ALTER TABLE series ENABLE ROW LEVEL SECURITY;
  ALTER TABLE settings ENABLE ROW LEVEL SECURITY;
  ALTER TABLE owner_bytes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE problem_facts ENABLE ROW LEVEL SECURITY;
  ALTER TABLE lifted_kernels ENABLE ROW LEVEL SECURITY;
  ALTER TABLE kernel_words ENABLE ROW LEVEL SECURITY;
  ALTER TABLE passed_words ENABLE ROW LEVEL SECURITY;
  ALTER TABLE failed_words ENABLE ROW LEVEL SECURITY;
)sql";

const char* const kNoRowPolicies = R"sql(
  DO $$
  DECLARE
    known record;
  BEGIN
    FOR known IN SELECT p.tablename FROM pg_policies p
        WHERE p.schemaname = 'warpsmith' AND p.policyname = 'node_rows' LOOP
      EXECUTE format('DROP POLICY node_rows ON %I', known.tablename);
    END LOOP;
  END $$;
)sql";

// An id without an owner is everybody's. What belongs to a kernel or a problem is seen with it: all
// evidence of a kernel says how it stands. Such a condition is part of each statement's plan, so
// the function is called once in each, not for each row.
const char* const kRowPolicies = R"sql(
  -- NULL: all. A role with the rights of a node that is none, such as one that got another name,
  -- sees what all see.
  CREATE FUNCTION node_owners() RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN node_of_role() IS NULL OR node_works_for(NULL) THEN NULL
      WHEN node_of_role() = '' AND
        NOT has_any_column_privilege(session_user, 'warpsmith.problems', 'INSERT') THEN NULL
      ELSE ARRAY(SELECT DISTINCT j.owner FROM node_jobs j WHERE j.status = 'running' AND
        j.node = node_of_role() AND NOT node_is_revoked(j.node)) END
  $$;
  DO $$
  DECLARE
    each record;
  BEGIN
    FOR each IN SELECT * FROM (VALUES ('problems', 'problems.id'), ('kernels', 'kernels.id'),
        ('evidence', 'kernel_id'), ('refs', 'kernel_id'), ('labels', 'kernel_id'),
        ('claims', 'kernel_id'), ('pass_tries', 'base_id'), ('jobs', 'jobs.id'), ('series', '''ser_'' || seq'),
        ('settings', 'split_part(key, ''/'', 3)'), ('problem_facts', 'problem_id'),
        ('lifted_kernels', 'kernel_id'),
        ('kernel_words', '(SELECT i.kernel_id FROM indexed_kernels i WHERE i.seq = rowid)'),
        ('passed_words', '(SELECT i.kernel_id FROM indexed_kernels i WHERE i.seq = rowid)'),
        ('failed_words', '(SELECT i.kernel_id FROM indexed_kernels i WHERE i.seq = rowid)'))
        rows(of_table, row_id) LOOP
      EXECUTE format('CREATE POLICY node_rows ON %I USING ((SELECT node_owners()) IS NULL OR '
        'coalesce((SELECT bool_or(o.shared <> 0 OR '
        'o.owner = ANY(CAST((SELECT node_owners()) AS text[]))) '
        'FROM owners o WHERE o.id = %s), true))', each.of_table, each.row_id);
    END LOOP;
    CREATE POLICY node_rows ON owner_bytes USING ((SELECT node_owners()) IS NULL OR
      owner = ANY(CAST((SELECT node_owners()) AS text[])));
  END $$;
  -- Prefixes of ids that no index finds under a policy.
  CREATE FUNCTION node_ids_by_hash(of_table text, start text) RETURNS SETOF text
      LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN QUERY EXECUTE format('SELECT id FROM %I WHERE '
      'substr(id, length(rtrim(id, ''0123456789abcdef'')) + 1) >= $1 AND '
      'substr(id, length(rtrim(id, ''0123456789abcdef'')) + 1) < $1 || ''~''',
      CASE of_table WHEN 'problems' THEN 'problems' ELSE 'kernels' END) USING start;
  END $$;
  -- Whether there is such a row, of which the role sees nothing.
  CREATE FUNCTION node_hides(of_table text, which text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT node_sees(which) AND CASE of_table
      WHEN 'problems' THEN EXISTS (SELECT 1 FROM problems p WHERE p.id = which)
      ELSE EXISTS (SELECT 1 FROM kernels k WHERE k.id = which) END
  $$;
  -- Whoever has the whole content may see it from now on. False: it is another one.
  CREATE FUNCTION node_admit(of_table text, which text, content text, whose text, shares bigint,
      size bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    stored text;
  BEGIN
    PERFORM node_must(node_works_for(whose), 'store for ' || whose);
    IF of_table = 'problems' THEN
      SELECT p.json INTO stored FROM problems p WHERE p.id = which;
    ELSE
      SELECT k.json INTO stored FROM kernels k WHERE k.id = which;
    END IF;
    IF stored IS NULL OR (stored <> content AND
        CAST(replace(stored, '\u0000', '\u0020') AS jsonb) - 'name' <>
          CAST(replace(content, '\u0000', '\u0020') AS jsonb) - 'name') THEN
      RETURN false;
    END IF;
    INSERT INTO owners(id, owner, shared, bytes) VALUES(which, whose, shares, size)
      ON CONFLICT(id, owner) DO UPDATE SET shared = greatest(owners.shared, excluded.shared);
    RETURN true;
  END $$;
)sql";

}  // namespace ws
