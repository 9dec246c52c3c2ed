// The rights of a node that connects as a role of its own, which owns nothing: no table of the jobs
// of nodes is open to it, and of kernels and what was measured it can only add rows. All else it
// does by functions, which run with the rights of their owner and look at who called them.
#include "runtime/archive/store/postgres_nodes.h"

namespace ws {

const char* const kNodeRoles = R"sql(
  CREATE TABLE node_roles (role TEXT PRIMARY KEY, node TEXT NOT NULL UNIQUE);
  ALTER FUNCTION count_owner_bytes() SECURITY DEFINER SET search_path = warpsmith, pg_temp;
)sql";

// The caller is session_user: inside of a function that runs with the rights of its owner,
// current_user is the owner. NULL is a role that may write the tables anyway, as their owner.
const char* const kIdentityFunctions = R"sql(
  CREATE FUNCTION node_of_role() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN has_table_privilege(session_user, 'warpsmith.nodes', 'UPDATE') THEN NULL
      ELSE coalesce((SELECT r.node FROM node_roles r WHERE r.role = session_user), '') END
  $$;
  CREATE FUNCTION node_may_be(node_name text) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT node_of_role() IS NULL OR coalesce(node_of_role() = node_name, false)';
  CREATE FUNCTION node_must_be(node_name text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT node_may_be(node_name) THEN
      RAISE insufficient_privilege
        USING MESSAGE = format('the role %s may not be the node %s', session_user, node_name);
    END IF;
  END $$;
  CREATE FUNCTION node_works_for(whose text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT node_of_role() IS NULL OR EXISTS (SELECT 1 FROM node_jobs j
      WHERE j.status = 'running' AND j.node = node_of_role() AND (j.sees_all OR j.owner = whose))
      AND NOT node_is_revoked(node_of_role())
  $$;
  CREATE FUNCTION node_has_job() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT node_of_role() IS NULL OR EXISTS (SELECT 1 FROM node_jobs j
      WHERE j.status = 'running' AND j.node = node_of_role())
      AND NOT node_is_revoked(node_of_role())
  $$;
  CREATE FUNCTION node_sees(which text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT bool_or(o.shared <> 0 OR node_works_for(o.owner)) FROM owners o
      WHERE o.id = which), true)
  $$;
  CREATE FUNCTION node_must(allowed boolean, what text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF allowed IS NOT TRUE THEN
      RAISE insufficient_privilege
        USING MESSAGE = format('the role %s may not %s', session_user, what);
    END IF;
  END $$;
)sql";

const char* const kStoringFunctions = R"sql(
  -- False: the lease is not held any more. It is held until the end of the transaction. What a node
  -- that ended with the job had measured to the same question is removed: nobody was told of it.
  CREATE FUNCTION node_put_evidence(
      which text, node_name text, held bigint, new_id text, new_kernel text, new_problem text,
      new_device text, new_kind text, new_key text, new_verdict text, new_json text,
      new_created_at text, new_created_ms bigint, new_bytes bigint, new_question text)
      RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    job record;
    before text[];
  BEGIN
    PERFORM node_must_be(node_name);
    SELECT j.owner, j.shares INTO job FROM node_jobs j WHERE j.id = which AND j.node = node_name AND
      j.attempt = held AND j.status = 'running' AND NOT node_is_revoked(node_name) FOR SHARE;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    PERFORM node_must(node_sees(new_kernel) AND (node_of_role() IS NULL OR EXISTS (
      SELECT 1 FROM kernels k WHERE k.id = new_kernel AND k.problem_id = new_problem)),
      'judge ' || new_kernel || ' by ' || new_problem);
    -- The job's principal will own the id, so it must be of no row but this one.
    PERFORM node_must(new_id LIKE 'evd\_%', 'store evidence as ' || new_id);
    INSERT INTO evidence(id, kernel_id, problem_id, device, kind, key, verdict, json, created_at,
        created_ms)
      VALUES(new_id, new_kernel, new_problem, new_device, new_kind, new_key, new_verdict, new_json,
        new_created_at, new_created_ms);
    IF job.owner <> '' THEN
      INSERT INTO owners(id, owner, shared, bytes)
        VALUES(new_id, job.owner, CASE WHEN job.shares THEN 1 ELSE 0 END, new_bytes);
    END IF;
    SELECT array_agg(e.evidence_id) INTO before FROM node_evidence e
      WHERE e.job_id = which AND e.question = new_question AND e.attempt < held;
    DELETE FROM owners o WHERE o.id = ANY(before);
    DELETE FROM evidence e WHERE e.id = ANY(before);
    INSERT INTO node_evidence(evidence_id, job_id, attempt, node, question)
      VALUES(new_id, which, held, node_name, new_question);
    RETURN true;
  END $$;
  -- The role of a node may give one that it works for a row that has owners, or that it has added
  -- in this transaction: not one that is everybody's, nor one that somebody will add. Of a file
  -- there is no row.
  CREATE FUNCTION node_own(which text, whose text, shares bigint, size bigint) RETURNS void
      LANGUAGE plpgsql AS $$
  DECLARE
    added boolean;
  BEGIN
    PERFORM node_must(node_works_for(whose) AND node_sees(which), 'store for ' || whose);
    IF node_of_role() IS NOT NULL THEN
      DELETE FROM node_new_rows n WHERE n.id = which AND n.added_by = pg_current_xact_id();
      added := FOUND;
      PERFORM node_must(size >= 0 AND (added OR which LIKE 'file\_%' OR
        EXISTS (SELECT 1 FROM owners o WHERE o.id = which)), 'own ' || which);
    END IF;
    INSERT INTO owners(id, owner, shared, bytes) VALUES(which, whose, shares, size)
      ON CONFLICT(id, owner) DO UPDATE SET shared = greatest(owners.shared, excluded.shared);
  END $$;
  CREATE FUNCTION node_forget_file(file text, whose text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM node_must(node_works_for(whose) AND file LIKE 'file\_%', 'forget ' || file);
    DELETE FROM owners o WHERE o.id = file AND o.owner = whose;
  END $$;
  CREATE FUNCTION node_remove_label(which bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    label record;
  BEGIN
    SELECT l.kernel_id, l.kind INTO label FROM labels l WHERE l.seq = which;
    PERFORM node_must(node_of_role() IS NULL OR
      node_has_job() AND label.kind = 'ref' AND node_sees(label.kernel_id) AND node_sees('lbl_' || which),
      'remove the label ' || which);
    DELETE FROM labels l WHERE l.seq = which;
    DELETE FROM owners o WHERE o.id = 'lbl_' || which;
  END $$;
  -- False: it is a checkpoint, which does not move, or another principal's.
  CREATE FUNCTION node_set_ref(new_name text, new_kernel text, new_fixed bigint, now text)
      RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF node_of_role() IS NOT NULL AND NOT (node_has_job() AND node_sees(new_kernel) AND
        strpos(new_name, '@') > 0 AND
        (strpos(new_name, ':') = 0 OR node_works_for(split_part(new_name, ':', 1))) AND
        NOT EXISTS (SELECT 1 FROM refs r WHERE r.name = new_name AND (r.fixed <> 0 OR
          NOT node_sees(r.kernel_id))) AND
        coalesce((SELECT bool_or(node_works_for(o.owner)) FROM owners o WHERE o.id = new_name),
          true)) THEN
      RETURN false;
    END IF;
    INSERT INTO refs(name, kernel_id, fixed, updated_at)
      VALUES(new_name, new_kernel, new_fixed, now)
      ON CONFLICT(name) DO UPDATE SET kernel_id = excluded.kernel_id,
        updated_at = excluded.updated_at;
    RETURN true;
  END $$;
  CREATE FUNCTION node_set_setting(new_key text, new_value text) RETURNS void
      LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM node_must(node_of_role() IS NULL OR (split_part(new_key, '/', 1) IN
      ('noise_floor', 'ceilings', 'admission', 'wrong', 'baseline') AND node_has_job() AND
      node_sees(split_part(new_key, '/', 3))), 'set ' || new_key);
    INSERT INTO settings(key, value) VALUES(new_key, new_value)
      ON CONFLICT(key) DO UPDATE SET value = excluded.value;
  END $$;
  CREATE FUNCTION node_leave(node_name text, node_instance text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM node_must_be(node_name);
    UPDATE nodes SET lives = false, seen_at = clock_timestamp()
      WHERE name = node_name AND instance = node_instance;
  END $$;
  -- NULL: no job runs.
  CREATE FUNCTION node_next_lease_end_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT CAST(extract(epoch FROM min(lease_until) - clock_timestamp()) * 1000 AS bigint)
      FROM node_jobs WHERE status = 'running'
  $$;
)sql";

// Nobody but the owner may call a function of nodes, or the one that counts bytes, unless it is
// named here. A role keeps no right of an older version.
const char* const kRoleFunctions = R"sql(
  CREATE FUNCTION node_take_rights(role_name text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA warpsmith FROM %I', role_name);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA warpsmith FROM %I', role_name);
    EXECUTE format('REVOKE ALL ON SCHEMA warpsmith FROM %I', role_name);
  END $$;
  CREATE FUNCTION node_give_rights(role_name text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    each record;
  BEGIN
    PERFORM node_take_rights(role_name);
    EXECUTE format('GRANT USAGE ON SCHEMA warpsmith TO %I', role_name);
    FOR each IN SELECT * FROM (VALUES
        ('SELECT', 'archive_version, jobs, problems, kernels, refs, evidence, labels, claims, pass_tries,
          series, owners, owner_bytes, settings, instances, problem_facts, indexed_kernels,
          fingerprints, fingerprint_bands, standings, kernel_words, passed_words, failed_words,
          lifted_kernels, operation_sets, operation_bands, shared_entries'),
        ('INSERT', 'instances, fingerprint_bands, standings, kernel_words, passed_words,
          failed_words, lifted_kernels, operation_bands, shared_entries'),
        -- The database chooses the numbers of these rows.
        ('INSERT (id, name, json, created_at)', 'problems'),
        ('INSERT (id, name, problem_id, parent, json, created_at)', 'kernels'),
        ('INSERT (kernel_id, kind, text, created_at, imported)', 'labels'),
        ('INSERT (transformation, pass, passes, base_id, kernel_id, verdict, reason, attempt,
          created_at)', 'pass_tries'),
        ('INSERT (name, kernel_id, value)', 'series'),
        ('INSERT (problem_id, op, facts)', 'problem_facts'),
        ('INSERT (kernel_id, problem, fingerprint, states)', 'indexed_kernels'),
        ('INSERT (hash, states, signature)', 'fingerprints'),
        ('INSERT (operations)', 'operation_sets'),
        ('UPDATE (imported)', 'labels'),
        ('UPDATE (seen_at)', 'instances'),
        ('UPDATE (op, facts)', 'problem_facts'),
        ('UPDATE (states, operation_set)', 'indexed_kernels'),
        ('UPDATE (states)', 'fingerprints, fingerprint_bands'),
        ('UPDATE (state, verdict, evidence_id, against, arch, at_ms, ratio)', 'standings'),
        ('UPDATE (operations)', 'lifted_kernels'),
        ('UPDATE (bytes, used_at)', 'shared_entries'),
        ('DELETE', 'instances, fingerprints, fingerprint_bands, kernel_words, passed_words,
          failed_words, operation_sets, operation_bands, shared_entries'))
        given(rights, tables) LOOP
      EXECUTE format('GRANT %s ON %s TO %I', each.rights, each.tables, role_name);
    END LOOP;
    FOR each IN SELECT CAST(p.oid AS regprocedure) AS name FROM pg_proc p
        WHERE p.pronamespace = 'warpsmith'::regnamespace AND p.proname LIKE 'node\_%' AND
          p.prosecdef LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', each.name, role_name);
    END LOOP;
  END $$;
  -- 'ok', or why not.
  CREATE FUNCTION node_grant(role_name text, node_name text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    other text;
  BEGIN
    IF to_regrole(quote_ident(role_name)) IS NULL THEN
      RETURN 'unknown';
    ELSIF pg_has_role(role_name, (SELECT c.relowner FROM pg_class c
          WHERE c.oid = 'warpsmith.nodes'::regclass), 'MEMBER') OR
        has_table_privilege(role_name, 'warpsmith.nodes', 'UPDATE') THEN
      RETURN 'owner';
    ELSIF NOT (SELECT r.rolcanlogin FROM pg_roles r WHERE r.rolname = role_name) OR EXISTS (
        SELECT 1 FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
        WHERE r.rolname = role_name) THEN
      RETURN 'group';
    END IF;
    SELECT r.role INTO other FROM node_roles r WHERE r.node = node_name AND r.role <> role_name;
    IF FOUND THEN
      RETURN 'taken by ' || other;
    END IF;
    INSERT INTO node_roles(role, node) VALUES(role_name, node_name)
      ON CONFLICT(role) DO UPDATE SET node = excluded.node;
    PERFORM node_give_rights(role_name);
    RETURN 'ok';
  END $$;
  CREATE FUNCTION node_deny(role_name text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM node_roles WHERE role = role_name;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    IF to_regrole(quote_ident(role_name)) IS NOT NULL THEN
      PERFORM node_take_rights(role_name);
    END IF;
    RETURN true;
  END $$;
  DO $$
  DECLARE
    each regprocedure;
  BEGIN
    FOR each IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'warpsmith'::regnamespace AND
        (p.proname LIKE 'node\_%' OR p.proname = 'count_owner_bytes') LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
    -- A policy calls it for whoever reads.
    GRANT EXECUTE ON FUNCTION node_owners() TO PUBLIC;
    FOR each IN SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'warpsmith'::regnamespace AND p.proname = ANY(ARRAY[
          'node_enter', 'node_claim', 'node_beat', 'node_progress', 'node_finish', 'node_leave',
          'node_forget', 'node_tell', 'node_next_lease_end_ms', 'node_put_evidence', 'node_own',
          'node_forget_file', 'node_remove_label', 'node_set_ref', 'node_set_setting',
          'node_owners', 'node_ids_by_hash', 'node_hides', 'node_admit']) LOOP
      EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = warpsmith, pg_temp',
        each);
    END LOOP;
  END $$;
  SELECT node_give_rights(r.role) FROM node_roles r
    WHERE to_regrole(quote_ident(r.role)) IS NOT NULL;
)sql";

}  // namespace ws
