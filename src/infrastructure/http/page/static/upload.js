// Papers that are dropped on the library: sent, read as jobs, and followed while they are read.
import { send } from "./requests.js";

const drop = document.querySelector("#drop");
const list = document.querySelector("#uploads");
const ended = ["done", "failed", "cancelled"];
let open = 0;

function row(name, entry = document.createElement("li")) {
  const title = document.createElement("span");
  title.textContent = name;
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", name);
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = "is sent";
  entry.replaceChildren(title, bar, said);
  list.append(entry);
  return { bar, said };
}

function told(state) {
  if (state.status === "queued") return `waits, ${state.position} before it`;
  if (state.status === "running") return state.doing ?? "is read";
  if (state.status === "cancelled") return "cancelled";
  if (state.status === "failed") return state.detail ?? "failed";
  const paper = state.documents?.[0];
  if (!paper || state.documents.length > 1) return "done";
  if (paper.status === "failed") return paper.error ?? "could not be read";
  return paper.status === "unchanged" ? "is there already" : `${paper.chunks} passages`;
}

function failed({ bar, said }, error) {
  bar.max = 1;
  bar.value = 0;
  said.textContent = error.message;
  said.classList.add("flag");
}

async function upload(file) {
  const shown = row(file.name);
  open += 1;
  try {
    const path = `projects/${drop.dataset.project}/uploads/${encodeURIComponent(file.name)}`;
    await follow(await send("PUT", path, file), shown);
  } catch (error) {
    failed(shown, error);
  }
  open -= 1;
}

function follow(job, { bar, said }) {
  return new Promise((finish, fail) => {
    const events = new EventSource(`/api/v1/jobs/${job.id}/events`);
    const show = (event) => {
      const state = JSON.parse(event.data);
      bar.max = 1;
      if (state.total) bar.value = state.done / state.total;
      else bar.removeAttribute("value");
      said.textContent = told(state);
      if (!ended.includes(state.status)) return;
      events.close();
      bar.value = 1;
      const none = state.status === "failed" || state.documents?.[0]?.status === "failed";
      if (none) return fail(new Error(said.textContent));
      finish();
    };
    for (const kind of ["progress", ...ended]) events.addEventListener(kind, show);
  });
}

async function uploadAll(files) {
  for (const file of files) await upload(file);
  if (!open && !list.querySelector(".flag")) location.reload();
}

drop.hidden = false;
for (const entry of list.querySelectorAll("[data-job]")) {
  const shown = row(`${entry.textContent} under way`, entry);
  follow({ id: entry.dataset.job }, shown).then(
    () => open || location.reload(),
    (error) => failed(shown, error),
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
