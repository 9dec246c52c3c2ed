// Asks the server. Everything is read-only.

const TOKEN = "warpsmith-token";

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
  let response;
  try {
    response = await fetch(path + (query ? "?" + query : ""), {headers: headers(), signal});
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
  return response.json();
}
