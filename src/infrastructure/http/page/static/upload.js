// Papers and references that are dropped on the library: sent, read together, and followed while
// they are read; and new projects.
import { listen, send } from "./requests.js";

const drop = document.querySelector("#drop");
const list = document.querySelector("#uploads");
const ended = ["done", "failed", "cancelled"];
// Their entries come first, so that the papers are cited as they are read.
const suffixes = drop.dataset.references.split(" ");
const isReferences = (name) => suffixes.some((suffix) => name.toLowerCase().endsWith(suffix));
const jobs = new Map();

function row(name, entry = document.createElement("li")) {
  const title = document.createElement("span");
  title.textContent = name;
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", name);
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = "sending";
  entry.replaceChildren(title, bar, said);
  list.append(entry);
  return { name, bar, said };
}

function paperOf(state, file) {
  return state.documents?.find((one) => one.source.split(/[\\/]/).pop() === file);
}

// What became of one file of a job; a job of which only the whole is shown has no file.
function told(state, file) {
  if (state.status === "queued") return `waiting (${state.position} ahead)`;
  if (state.status === "cancelled") return "cancelled";
  if (state.status === "failed") return state.detail ?? "failed";
  const paper = paperOf(state, file);
  if (paper?.status === "failed") return paper.error ?? "could not be read";
  if (paper) return paper.status === "unchanged" ? "already in the project" : `${paper.chunks} passages`;
  if (state.status === "done") return file && isReferences(file) ? "used for citations" : "done";
  if (file && state.doing && !state.doing.includes(file)) return "reading with the others";
  return state.doing ?? "reading";
}

function failed({ bar, said }, error) {
  bar.max = 1;
  bar.value = 0;
  said.textContent = error.message;
  said.classList.add("flag");
}

// Bodies are sent one after the other, and read together.
async function sent(file) {
  const shown = row(file.name);
  try {
    const path = `projects/${drop.dataset.project}/uploads/${encodeURIComponent(file.name)}`;
    const job = await send("PUT", path, file);
    shown.said.textContent = "waiting";
    const read = followed(job.id, { ...shown, file: job.file });
    return { read: read.catch((error) => failed(shown, error)) };
  } catch (error) {
    failed(shown, error);
    return {};
  }
}

// Files that one job reads are told of by one stream of events.
function followed(id, shown) {
  const read = new Promise((finish, fail) => Object.assign(shown, { finish, fail }));
  if (jobs.has(id)) jobs.get(id).push(shown);
  else follow(id, [shown]);
  return read;
}

function follow(id, rows) {
  jobs.set(id, rows);
  const show = (event, events) => {
    const state = JSON.parse(event.data);
    const isEnd = ended.includes(state.status);
    for (const one of rows) tell(one, state, isEnd);
    if (!isEnd) return;
    events.close();
    jobs.delete(id);
  };
  listen(`jobs/${id}/events`, ["progress", ...ended], show, (error) => {
    jobs.delete(id);
    for (const one of rows) one.fail(error);
  });
}

function tell(one, state, isEnd) {
  one.bar.max = 1;
  if (isEnd) one.bar.value = 1;
  else if (state.total || state.status === "queued") one.bar.value = state.done / (state.total || 1);
  else one.bar.removeAttribute("value");
  one.said.textContent = told(state, one.file);
  if (!isEnd) return;
  const isFailed = state.status === "failed" || paperOf(state, one.file)?.status === "failed";
  if (isFailed) one.fail(new Error(one.said.textContent));
  else one.finish();
}

async function uploadAll(files) {
  const order = (file) => (isReferences(file.name) ? 0 : 1);
  const read = [];
  for (const file of [...files].sort((one, other) => order(one) - order(other))) {
    read.push((await sent(file)).read);
  }
  await Promise.all(read);
  if (!jobs.size) await refresh();
}

// What failed stays on the page, above the papers as they are now.
async function refresh() {
  if (!list.querySelector(".flag") || !document.querySelector("#papers")) return location.reload();
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const other = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of ["#papers", ".summary"]) {
    document.querySelector(part).replaceWith(other.querySelector(part));
  }
}

const samples = document.querySelector("#samples");
async function trySamples() {
  samples.disabled = true;
  drop.dataset.project = "local/samples";
  const fetched = samples.dataset.files.split(" ").map(async (path) => {
    const answer = await fetch(`/samples/${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.statusText}`);
    return new File([await answer.blob()], path.split("/").pop());
  });
  await uploadAll(await Promise.all(fetched));
}

if (samples) {
  samples.hidden = false;
  samples.addEventListener("click", () => trySamples().catch((error) => failed(row("Sample papers"), error)));
}

const dialog = document.querySelector("#project");
const form = document.querySelector("#project-form");
document.querySelector("#project-open").addEventListener("click", () => dialog.showModal());
if (location.hash === "#new-project") dialog.showModal();
document.querySelector("#project-not").addEventListener("click", () => dialog.close());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = form.querySelector("#project-said");
  said.textContent = "Creating…";
  try {
    const { id } = await send("POST", "projects", { name: form.elements.name.value });
    location.assign(`/library?project=${encodeURIComponent(id)}`);
  } catch (error) {
    said.textContent = error.message;
  }
});

drop.hidden = false;
for (const entry of list.querySelectorAll("[data-job]")) {
  const shown = row(`${entry.textContent} running`, entry);
  followed(entry.dataset.job, shown).then(
    () => jobs.size || refresh(),
    (error) => {
      failed(shown, error);
      return jobs.size || refresh();
    },
  );
}
drop.querySelector("input").addEventListener("change", (event) => uploadAll([...event.target.files]));
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  uploadAll([...event.dataTransfer.files]);
});
