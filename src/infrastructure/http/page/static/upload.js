// Papers that are dropped on the library: sent, read as jobs, and followed while they are read.
const drop = document.querySelector("#drop");
const list = document.querySelector("#uploads");
const secret = document.querySelector('meta[name="citeloom-secret"]').content;
const ended = ["done", "failed", "cancelled"];
let open = 0;

function row(name) {
  const entry = document.createElement("li");
  const title = document.createElement("span");
  title.textContent = name;
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.setAttribute("aria-label", name);
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = "is sent";
  entry.append(title, bar, said);
  list.append(entry);
  return { bar, said };
}

function told(state) {
  if (state.status === "queued") return `waits, ${state.position} before it`;
  if (state.status === "running") return state.doing ?? "is read";
  if (state.status === "cancelled") return "cancelled";
  if (state.status === "failed") return state.detail ?? "failed";
  const paper = state.documents?.[0];
  if (!paper) return "done";
  if (paper.status === "failed") return paper.error ?? "could not be read";
  return paper.status === "unchanged" ? "is there already" : `${paper.chunks} passages`;
}

async function send(file) {
  const { bar, said } = row(file.name);
  open += 1;
  try {
    const path = `/api/v1/projects/${drop.dataset.project}/uploads/${encodeURIComponent(file.name)}`;
    const answer = await fetch(path, {
      method: "PUT",
      body: file,
      headers: { "X-CiteLoom-Secret": secret, "content-type": "application/octet-stream" },
    });
    const job = await answer.json();
    if (!answer.ok) throw new Error(job.detail ?? answer.statusText);
    await follow(job, bar, said);
  } catch (error) {
    bar.value = 0;
    said.textContent = error.message;
    said.classList.add("flag");
  }
  open -= 1;
}

function follow(job, bar, said) {
  return new Promise((finish, fail) => {
    const events = new EventSource(`/api/v1/jobs/${job.id}/events`);
    const show = (event) => {
      const state = JSON.parse(event.data);
      if (state.total) bar.value = state.done / state.total;
      said.textContent = told(state);
      if (!ended.includes(state.status)) return;
      events.close();
      bar.value = 1;
      const failed = state.status === "failed" || state.documents?.[0]?.status === "failed";
      if (failed) return fail(new Error(said.textContent));
      finish();
    };
    for (const kind of ["progress", ...ended]) events.addEventListener(kind, show);
  });
}

async function sendAll(files) {
  for (const file of files) await send(file);
  if (!open && !list.querySelector(".flag")) location.reload();
}

drop.hidden = false;
drop.querySelector("input").addEventListener("change", (event) => sendAll([...event.target.files]));
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
  sendAll([...event.dataTransfer.files]);
});
