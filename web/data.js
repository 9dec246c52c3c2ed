// Asks the server. Everything is read-only.

const TOKEN = "warpsmith-token";
// A server that has nothing to tell sends a comment every 15 s.
const SILENT_MS = 40_000;

/** The server wants a token, or another one than it was shown. */
export class NeedsToken extends Error {}
/** The server does not answer: it is being started again, or the machine is asleep. */
export class Unreachable extends Error {}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? {Authorization: "Bearer " + token} : {};
}

async function message(response) {
  const text = await response.text();
  try {
    const {error} = JSON.parse(text);
    return error.message || error;
  } catch {
    return "the server answered " + response.status;
  }
}

/** The answer at a path, where it is a good one. */
async function answer(path, signal) {
  let response;
  try {
    response = await fetch(path, {headers: headers(), signal});
  } catch (error) {
    throw error.name === "AbortError" ? error : new Unreachable("the server does not answer");
  }
  if (response.status === 401) {
    throw new NeedsToken(await message(response));
  }
  if (response.status === 503) {
    throw new Unreachable(await message(response));
  }
  if (!response.ok) {
    throw new Error(await message(response));
  }
  return response;
}

/**
 * ask(["kernel", id], {from: "..."}, signal) gives the data at that address.
 * Throws NeedsToken, Unreachable, or an Error with the server's words.
 */
export async function ask(parts, values = {}, signal = undefined) {
  if (parts.includes(undefined)) {
    throw new Error("the address of this view lacks an id");
  }
  const given = Object.entries(values).filter(([, value]) => value);
  const query = new URLSearchParams(given).toString();
  const path = "/page/data/" + parts.map(encodeURIComponent).join("/");
  return (await answer(path + (query ? "?" + query : ""), signal)).json();
}

/** {name, data} of the lines of one event; null for a comment. */
function eventOf(lines) {
  const fields = Object.fromEntries(lines.split("\n").map(line => line.split(/: ?(.*)/s, 2)));
  return fields.data ? {name: fields.event, data: JSON.parse(fields.data)} : null;
}

/**
 * Calls take(name, data) for each event of what the server does, until the stream ends. By fetch, as
 * an EventSource shows no token and does not say why it was refused.
 * Throws as ask() does, and Unreachable when the stream ends or falls silent.
 */
export async function listen(take, signal) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const {body} = await answer("/page/events", AbortSignal.any([signal, silence.signal]));
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const {value, done} = await reader.read();
      if (done) {
        throw new Unreachable("the server does not answer");
      }
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      events.map(eventOf).filter(Boolean).forEach(({name, data}) => take(name, data));
    }
  } catch (error) {
    const told = error instanceof NeedsToken || error instanceof Unreachable;
    throw told || signal.aborted ? error : new Unreachable(
        error.constructor === Error ? error.message : "the server does not answer");
  } finally {
    clearTimeout(timer);
  }
}
