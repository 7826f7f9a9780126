// Requests that change something, with the secret that this page was given.
const meta = document.querySelector('meta[name="citeloom-secret"]');

const GONE = "The server does not answer: is it still running?";
const FORGOTTEN = "The server stopped reporting on this: it may have been restarted, or have too many open pages.";
// Milliseconds for which a server may be silent, as while it restarts.
const PATIENCE = 15000;

/** Whether this page may change anything. */
export const canChange = Boolean(meta);

export async function send(method, path, body) {
  const headers = { "X-CiteLoom-Secret": meta.content };
  if (body !== undefined && !(body instanceof Blob)) headers["content-type"] = "application/json";
  if (body instanceof Blob) headers["content-type"] = "application/octet-stream";
  const sent = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, { method, body: sent, headers });
  } catch {
    throw new Error(GONE);
  }
  const result = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(result?.detail ?? answer.statusText);
  return result;
}

/**
 * Follow the events of a server; each of ``kinds`` goes to ``heard``. ``lost`` is called once if the
 * server is gone: it does not know the events, or does not answer for long.
 */
export function listen(path, kinds, heard, lost) {
  const events = new EventSource(`/api/v1/${path}`);
  let silent;
  const give = (text) => {
    events.close();
    lost(new Error(text));
  };
  events.onopen = () => (silent = clearTimeout(silent));
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) return give(FORGOTTEN);
    silent ??= setTimeout(() => give(GONE), PATIENCE);
  };
  for (const kind of kinds) events.addEventListener(kind, (event) => heard(event, events));
  return events;
}

/** Show what needs scripts. */
export function reveal(selector, within = document) {
  for (const one of within.querySelectorAll(selector)) one.hidden = false;
}

export function download(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
