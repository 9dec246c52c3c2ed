// The program under test: its commands, and its servers.
import {execFileSync, spawn} from "node:child_process";
import {readFileSync} from "node:fs";
import {createInterface} from "node:readline";

const EXAMPLES = new URL("../../examples/kernels/matmul/", import.meta.url);

function example(name) {
  return JSON.parse(readFileSync(new URL(name + ".json", EXAMPLES)));
}

export class Warpsmith {
  /** @param program  The path of the executable.  @param data  A folder that is there. */
  constructor(program, data) {
    this.program = program;
    this.data = data;
  }

  run(...words) {
    return execFileSync(this.program, [...words, "--data", this.data],
        {encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]});
  }

  call(tool, values) {
    return JSON.parse(this.run("call", tool, JSON.stringify(values)));
  }

  /**
   * Starts a server and waits for the line that tells its port.
   * @return  {url, stop}: stop() ends it and waits.
   */
  async start(words, environment = {}) {
    const child = spawn(this.program, [...words, "--data", this.data],
        {env: {...process.env, ...environment}, stdio: ["ignore", "pipe", "pipe"]});
    const ended = new Promise(done => child.once("exit", done));
    const port = new Promise((found, failed) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({input: stream}).on("line", line => {
          const told = line.match(/http:\/\/127\.0\.0\.1:(\d+)\//);
          if (told) {
            found(Number(told[1]));
          }
        });
      }
      ended.then(status => failed(new Error("the server ended with " + status)));
    });
    return {url: `http://127.0.0.1:${await port}/`, stop: () => {
      child.kill("SIGINT");
      return ended;
    }};
  }

  serve(port = 0, environment = {}) {
    return this.start(["serve", "--http", "127.0.0.1:" + port], environment);
  }

  /** Begins a call on a server. @return  {stop}: stop() leaves it and waits. */
  begin(url, tool, values) {
    const child = spawn(this.program, ["call", tool, JSON.stringify(values), "--server", url + "mcp"],
        {stdio: "ignore"});
    const ended = new Promise(done => child.once("exit", done));
    return {stop: () => {
      child.kill("SIGINT");
      return ended;
    }};
  }

  view() {
    return this.start(["view"]);
  }
}

/** One kernel as a change of another one. */
function change(base, kernel) {
  const set = Object.fromEntries(Object.entries(kernel).filter(([field, value]) =>
      field !== "source" && JSON.stringify(value) !== JSON.stringify(base[field])));
  const old = base.source.replace(/\n$/, "");
  return {set, edits: [{op: "replace", from: 1, to: old.split("\n").length, old,
    text: kernel.source}]};
}

/** What a hostile author writes: markup, an ANSI sequence, a right-to-left override. */
export const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> \u001b[31mred\u001b[0m " +
    "\u202etxt.exe";

/**
 * Fills the archive: a problem with kernels that were made from one another. Three are wrong in three
 * ways, three are timed, and one more is tuned.
 * @return  The ids: {problem, first, child, tiled, tunable: kernels; mismatch, timed, profile,
 * tuning: evidence}.
 */
export function seed(warpsmith) {
  const ids = {};
  const compile = (name, from) => {
    const answer = warpsmith.call("compile_kernel", from
        ? {problem_id: ids.problem, base: from.id, ...change(example(from.name), example(name))}
        : {kernel: example(name), problem: example("problem")});
    ids.problem = answer.problem_id;
    return {name, id: answer.kernel_id};
  };
  const validate = kernel => warpsmith.call("validate", {kernel_id: kernel.id, level: "quick"});
  const time = (kernel, baseline) => warpsmith.call("benchmark",
      {kernel_id: kernel.id, baseline, time_budget_ms: 600});
  const first = compile("naive");
  validate(first);
  ids.timed = time(first, "reference").evidence_id;
  const child = compile("tiled16", first);
  validate(child);
  time(child, "reference");
  const tiled = compile("tiled32x8", child);
  validate(tiled);
  time(tiled, first.id);
  compile("broken_compile", first);
  validate(compile("broken_bounds", tiled));
  const wrong = compile("broken_ragged", first);
  ids.mismatch = validate(wrong).evidence_id;
  ids.profile = warpsmith.call("profile", {kernel_id: tiled.id}).evidence_id;
  ids.tunable = compile("thread_tile").id;
  ids.tuning = warpsmith.call("tune", {kernel_id: ids.tunable, max_evaluations: 3,
    time_budget_ms: 3000}).evidence_id;
  warpsmith.run("archive", "note", child.id, HOSTILE);
  return {...ids, first: first.id, child: child.id, tiled: tiled.id};
}
