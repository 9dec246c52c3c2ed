#include "runtime/archive/store/migrations.h"

#include <array>

namespace ws {
namespace {

// Never change a step that was released: add one.
constexpr const char* kRows = R"sql(
CREATE TABLE problems (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, json TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE TABLE kernels (
  id TEXT PRIMARY KEY, name TEXT NOT NULL,
  problem_id TEXT NOT NULL REFERENCES problems(id),
  parent TEXT REFERENCES kernels(id),
  json TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE INDEX kernels_by_parent ON kernels(parent);
CREATE INDEX kernels_by_problem ON kernels(problem_id);
CREATE TABLE refs (
  name TEXT PRIMARY KEY, kernel_id TEXT NOT NULL REFERENCES kernels(id), updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE evidence (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  kernel_id TEXT NOT NULL REFERENCES kernels(id), problem_id TEXT NOT NULL,
  device TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, verdict TEXT NOT NULL,
  json TEXT NOT NULL, created_at TEXT NOT NULL, created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX evidence_by_kernel ON evidence(kernel_id, device, kind, key, seq);
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, tool TEXT NOT NULL, status TEXT NOT NULL, json TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_by_time ON jobs(status, updated_ms);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
)sql";

// The search index: all of it follows from the rows above, but labels and claims. Numbers are never
// given out twice, so words of a kernel that is gone lead nowhere.
constexpr const char* kSearch = R"sql(
CREATE TABLE problem_facts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, problem_id TEXT NOT NULL UNIQUE REFERENCES problems(id),
  op TEXT NOT NULL, facts TEXT NOT NULL
) STRICT;
CREATE INDEX problem_facts_by_op ON problem_facts(op);
CREATE TABLE fingerprints (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER NOT NULL UNIQUE, signature BLOB NOT NULL
) STRICT;
CREATE TABLE fingerprint_bands (
  band INTEGER NOT NULL, fingerprint INTEGER NOT NULL, PRIMARY KEY(band, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE TABLE indexed_kernels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, kernel_id TEXT NOT NULL UNIQUE REFERENCES kernels(id),
  problem INTEGER NOT NULL, fingerprint INTEGER NOT NULL
) STRICT;
CREATE INDEX indexed_kernels_by_fingerprint ON indexed_kernels(fingerprint, seq);
CREATE VIRTUAL TABLE kernel_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE TABLE standings (
  kernel INTEGER NOT NULL, device TEXT NOT NULL, problem INTEGER NOT NULL, state INTEGER NOT NULL,
  verdict TEXT NOT NULL, evidence_id TEXT NOT NULL, ratio REAL, against TEXT NOT NULL,
  arch TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY(kernel, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_by_problem ON standings(problem, state, device, ratio);
CREATE TABLE labels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, kernel_id TEXT NOT NULL REFERENCES kernels(id),
  kind TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE(kernel_id, kind, text)
) STRICT;
CREATE VIRTUAL TABLE label_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE TABLE claims (
  id TEXT PRIMARY KEY, kernel_id TEXT NOT NULL REFERENCES kernels(id), json TEXT NOT NULL,
  imported_at TEXT NOT NULL
) STRICT;
CREATE INDEX claims_by_kernel ON claims(kernel_id);
)sql";

// Tries at passes of transformations: each kernel's steps, and which passes fail and why.
constexpr const char* kTries = R"sql(
CREATE TABLE pass_tries (
  seq INTEGER PRIMARY KEY, transformation TEXT NOT NULL, pass INTEGER NOT NULL,
  passes INTEGER NOT NULL, base_id TEXT NOT NULL REFERENCES kernels(id),
  kernel_id TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
  attempt INTEGER NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE INDEX pass_tries_by_base ON pass_tries(base_id, transformation, pass);
CREATE INDEX pass_tries_by_kernel ON pass_tries(kernel_id, verdict);
CREATE INDEX pass_tries_by_pass ON pass_tries(transformation, pass, verdict);
)sql";

// A ref is moved by its name; ratios against other kernels do not compare.
constexpr const char* kQuicker = R"sql(
CREATE INDEX labels_by_text ON labels(kind, text);
DROP INDEX standings_by_problem;
CREATE INDEX standings_by_speed_up ON standings(
  problem, state, device, CASE WHEN against = 'reference' THEN ratio END);
)sql";

// The index by states: what was never judged, or failed, costs a search for what passed no time.
// Words of labels stand with those of their kernel. Merging is done by the program, a little a
// time.
constexpr const char* kStates = R"sql(
DROP TABLE label_words;
DROP TABLE kernel_words;
DROP TABLE fingerprint_bands;
DROP TABLE fingerprints;
DROP TABLE indexed_kernels;
DROP TABLE standings;
CREATE TABLE indexed_kernels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, kernel_id TEXT NOT NULL UNIQUE REFERENCES kernels(id),
  problem INTEGER NOT NULL, fingerprint INTEGER NOT NULL, states INTEGER NOT NULL
) STRICT;
CREATE INDEX indexed_kernels_by_fingerprint ON indexed_kernels(fingerprint, states, seq);
CREATE TABLE fingerprints (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER NOT NULL UNIQUE, states INTEGER NOT NULL,
  signature BLOB NOT NULL
) STRICT;
CREATE TABLE fingerprint_bands (
  band INTEGER NOT NULL, states INTEGER NOT NULL, fingerprint INTEGER NOT NULL,
  PRIMARY KEY(band, states, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE TABLE standings (
  kernel INTEGER NOT NULL, device TEXT NOT NULL, problem INTEGER NOT NULL, state INTEGER NOT NULL,
  verdict TEXT NOT NULL, evidence_id TEXT NOT NULL, ratio REAL, against TEXT NOT NULL,
  arch TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY(kernel, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_by_speed_up ON standings(
  problem, state, device, CASE WHEN against = 'reference' THEN ratio END);
CREATE VIRTUAL TABLE kernel_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE passed_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE failed_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
INSERT INTO kernel_words(kernel_words, rank) VALUES('pgsz', 1000), ('automerge', 0), ('usermerge', 8);
INSERT INTO passed_words(passed_words, rank) VALUES('pgsz', 1000), ('automerge', 0), ('usermerge', 8);
INSERT INTO failed_words(failed_words, rank) VALUES('pgsz', 1000), ('automerge', 0), ('usermerge', 8);
ALTER TABLE labels ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
)sql";

// Checkpoints: refs that never move.
constexpr const char* kFixedRefs = R"sql(
ALTER TABLE refs ADD COLUMN fixed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX refs_by_kernel ON refs(kernel_id);
)sql";

// A job outlives its server: another one goes on with it.
constexpr const char* kLeases = R"sql(
ALTER TABLE jobs ADD COLUMN instance TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN arguments TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0;
)sql";

// The operations that lifted kernels compute. The first table does not follow from the rows above,
// the others follow from it; most kernels are not lifted, and cost nothing here.
constexpr const char* kOperations = R"sql(
CREATE TABLE lifted_kernels (
  kernel_id TEXT PRIMARY KEY REFERENCES kernels(id), operations TEXT NOT NULL
) STRICT;
CREATE TABLE operation_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, operations TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE operation_bands (
  band INTEGER NOT NULL, operation_set INTEGER NOT NULL, PRIMARY KEY(band, operation_set)
) STRICT, WITHOUT ROWID;
ALTER TABLE indexed_kernels ADD COLUMN operation_set INTEGER NOT NULL DEFAULT 0;
CREATE INDEX indexed_kernels_by_operations ON indexed_kernels(operation_set, states, seq)
  WHERE operation_set <> 0;
)sql";

// Merging is done where no write waits for it, and has that long before FTS5 does it in one.
constexpr const char* kLaterMerges = R"sql(
INSERT INTO kernel_words(kernel_words, rank) VALUES('crisismerge', 256);
INSERT INTO passed_words(passed_words, rank) VALUES('crisismerge', 256);
INSERT INTO failed_words(failed_words, rank) VALUES('crisismerge', 256);
)sql";

// By the hash of an id, which follows its last `_`, so that its beginning finds the row.
constexpr const char* kHashes = R"sql(
CREATE INDEX problems_by_hash ON problems(substr(id, length(rtrim(id, '0123456789abcdef')) + 1));
CREATE INDEX kernels_by_hash ON kernels(substr(id, length(rtrim(id, '0123456789abcdef')) + 1));
)sql";

// Verdicts that blame a kernel for a process that somebody else killed; a compiler that was killed
// said the same as one that ran out of time. Nobody is answered from them any more. And the speed
// of a kernel in the index is what its interval proves.
constexpr const char* kKilledWorkers = R"sql(
UPDATE evidence SET kind = 'lost_' || kind
  WHERE kind IN ('compile', 'validate', 'benchmark', 'evaluate', 'tune', 'profile')
    AND (json LIKE '%worker process died with signal 9%'
         OR json LIKE '%process ended by signal 9%'
         OR json LIKE '%the compiler ran past its limit of%');
UPDATE standings SET ratio = coalesce(
    (SELECT json_extract(json, '$.output.ratio_ci[0]') FROM evidence
       WHERE evidence.id = standings.evidence_id), ratio)
  WHERE ratio IS NOT NULL;
)sql";

// A kernel that was found wrong has failed for good: what a later pass of the same question had
// made of it is computed again.
constexpr const char* kWrongStays = R"sql(
DELETE FROM standings;
)sql";

// Values of kernels that count as one: the least of a series counts. And of the benchmarks of one
// question the least ranks: the speeds in the index are computed again.
constexpr const char* kSeries = R"sql(
CREATE TABLE IF NOT EXISTS series (
  seq INTEGER PRIMARY KEY, name TEXT NOT NULL, kernel_id TEXT NOT NULL, value REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS series_by_name ON series(name, seq);
DELETE FROM standings;
)sql";

// The clients that were told a job's id, in the order in which they were.
constexpr const char* kJobClients = R"sql(
CREATE TABLE IF NOT EXISTS job_clients (
  seq INTEGER PRIMARY KEY, client TEXT NOT NULL,
  job_id TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, UNIQUE(client, job_id)
) STRICT;
CREATE INDEX IF NOT EXISTS job_clients_by_job ON job_clients(job_id);
)sql";

// The newest labels of a kernel are its words: to find them among many must not sort all.
constexpr const char* kLabelOrder = R"sql(
CREATE INDEX IF NOT EXISTS labels_by_kernel ON labels(kernel_id, seq);
)sql";

// To whom a row belongs, by its id, and whether others see it. A row of which nothing stands here
// is everybody's, as all are that older versions stored.
constexpr const char* kOwners = R"sql(
CREATE TABLE IF NOT EXISTS owners (
  id TEXT NOT NULL, owner TEXT NOT NULL, shared INTEGER NOT NULL, PRIMARY KEY(id, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS owners_by_owner ON owners(owner);
)sql";

// How much of the archive each owner has. The table of owners is made anew, not changed: the step
// may be done again on tables that have it.
constexpr const char* kOwnerBytes = R"sql(
CREATE TABLE sized_owners (
  id TEXT NOT NULL, owner TEXT NOT NULL, shared INTEGER NOT NULL, bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(id, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO sized_owners(id, owner, shared, bytes) SELECT id, owner, shared,
  CASE WHEN owner = '' THEN 0 ELSE 100 + coalesce(
    (SELECT length(CAST(name AS BLOB)) + length(CAST(json AS BLOB)) FROM problems p
       WHERE p.id = owners.id),
    (SELECT length(CAST(name AS BLOB)) + length(CAST(json AS BLOB)) FROM kernels k
       WHERE k.id = owners.id),
    (SELECT length(CAST(key AS BLOB)) + length(CAST(json AS BLOB)) FROM evidence e
       WHERE e.id = owners.id),
    (SELECT length(CAST(json AS BLOB)) + length(CAST(arguments AS BLOB)) FROM jobs j
       WHERE j.id = owners.id),
    (SELECT length(CAST(text AS BLOB)) FROM labels
       WHERE owners.id GLOB 'lbl_*' AND seq = CAST(substr(owners.id, 5) AS INTEGER)),
    (SELECT length(CAST(reason AS BLOB)) FROM pass_tries
       WHERE owners.id GLOB 'try_*' AND seq = CAST(substr(owners.id, 5) AS INTEGER)), 0) END
  FROM owners;
DROP TABLE owners;
ALTER TABLE sized_owners RENAME TO owners;
CREATE INDEX owners_by_owner ON owners(owner);
CREATE TABLE IF NOT EXISTS owner_bytes (
  owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
DELETE FROM owner_bytes;
INSERT INTO owner_bytes(owner, bytes) SELECT owner, sum(bytes) FROM owners GROUP BY owner;
CREATE TRIGGER owner_added AFTER INSERT ON owners WHEN new.bytes > 0 BEGIN
  INSERT INTO owner_bytes(owner, bytes) VALUES(new.owner, new.bytes)
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER owner_gone AFTER DELETE ON owners WHEN old.bytes > 0 BEGIN
  UPDATE owner_bytes SET bytes = bytes - old.bytes WHERE owner = old.owner;
END;
)sql";

constexpr std::array<Migration, 17> kMigrations = {{
    {"makes the tables of problems, kernels, refs, evidence, jobs and settings", kRows, false},
    {"makes the search index, labels and claims", kSearch, false},
    {"makes the table of tries at passes of transformations", kTries, false},
    {"adds indexes of labels and of speed-ups", kQuicker, false},
    {"makes the search index anew, by what was judged of kernels", kStates, true},
    {"adds checkpoints: refs that never move", kFixedRefs, false},
    {"lets another server go on with the jobs of one that ended", kLeases, false},
    {"makes the tables of operations of lifted kernels", kOperations, false},
    {"lets words of the index be merged later", kLaterMerges, false},
    {"adds indexes by the beginning of an id", kHashes, false},
    {"sets aside verdicts of workers that somebody killed", kKilledWorkers, false},
    {"judges kernels again: one that was wrong once stays wrong", kWrongStays, true},
    {"makes the table of series of rewards, and ranks by the least of equal benchmarks", kSeries,
     true},
    {"makes the table of the clients that know a job", kJobClients, false},
    {"adds an index of labels by kernel, so that many labels of one kernel cost no more each",
     kLabelOrder, false},
    {"makes the table of owners; what is stored by now stays everybody's", kOwners, false},
    {"counts what each principal has stored", kOwnerBytes, false},
}};

}  // namespace

std::span<const Migration> migrations() {
  return kMigrations;
}

}  // namespace ws
