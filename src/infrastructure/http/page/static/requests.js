// Requests that change something, with the secret that this page was given.
const meta = document.querySelector('meta[name="citeloom-secret"]');

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
    throw new Error("The server does not answer: is it still running?");
  }
  const result = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(result?.detail ?? answer.statusText);
  return result;
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
